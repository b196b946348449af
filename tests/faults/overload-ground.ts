import { Database } from "bun:sqlite";
import { output, type Running } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";
import { database } from "./database-kept.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";

const organizationCount = 8;
const storedAccounts = "select external_id from accounts where external_id is not null";
const limit = ["--rate-limit", "1"];

/** A server with organizations, which is killed and started again. */
export type OverloadGround = {
  keys: readonly string[];
  /** A key of one request a minute. */
  limitedKey: string;
  serve: () => Promise<Running>;
  storedIds: () => Promise<unknown[]>;
  check: () => Promise<string[]>;
};

export async function overloadSqlite(program: Program): Promise<OverloadGround> {
  const kept = await database(program);
  const keys: string[] = [];
  for (let i = 0; i < organizationCount; i += 1)
    keys.push(await kept.createOrganization(`Organization ${i}`));
  return {
    keys,
    limitedKey: await kept.createOrganization("Limited", ...limit),
    serve: kept.serve,
    storedIds: async () => {
      using file = new Database(kept.file, { readonly: true });
      return file.query(storedAccounts).values().flat();
    },
    check: () =>
      kept.check().then(
        () => [],
        (error: Error) => [error.message],
      ),
  };
}

export async function overloadPostgres(program: Program): Promise<OverloadGround> {
  const ground = await preparePostgres(program, await durableServer());
  return {
    keys: ground.keys,
    limitedKey: await output(
      ["keys", "create", "--organization", "Organization 0", ...limit, "--database", ground.urlOf(0)],
      { program },
    ),
    serve: () => ground.serve(0),
    storedIds: async () => (await query(ground.adminUrl(), storedAccounts)).flat(),
    check: ground.check,
  };
}
