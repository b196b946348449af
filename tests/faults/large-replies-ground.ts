import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { output, type Running } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";
import { database } from "./database-kept.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";

/** A database with two organizations. */
export type ReplyGround = {
  /** A key of all scopes of the organization that sends the load. */
  key: string;
  /** A key of the other organization. */
  quietKey: string;
  /** The file, with SQLite. */
  file?: string;
  serve(): Promise<Running>;
  /** The bytes of the database, without its log. */
  size(): Promise<number>;
};

export async function sqliteGround(program: Program): Promise<ReplyGround> {
  const { file, serve } = await database(program);
  const settings = { env: { DATABASE_URL: file }, program };
  await output(["organizations", "create", "Quiet"], settings);
  const createKey = (organization: string) =>
    output(["keys", "create", "--organization", organization, "--scope", scopes.join(",")], settings);
  return {
    file,
    key: await createKey("Acme"),
    quietKey: await createKey("Quiet"),
    serve,
    async size() {
      using client = new Database(file, { readonly: true });
      const pages = client.query<{ count: number; size: number }, []>(
        "SELECT page_count AS count, page_size AS size FROM pragma_page_count, pragma_page_size",
      );
      const { count, size } = pages.get() ?? { count: 0, size: 0 };
      return Math.max(statSync(file).size, count * size);
    },
  };
}

export async function postgresGround(program: Program): Promise<ReplyGround> {
  const ground = await preparePostgres(program, await durableServer());
  const [key = "", quietKey = ""] = ground.keys;
  return {
    key,
    quietKey,
    serve: () => ground.serve(0),
    size: async () => Number((await query(ground.adminUrl(), "select pg_database_size('accountd')"))[0]?.[0]),
  };
}
