import { join } from "node:path";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { folder, output, type Running, start } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";

/** A database with one organization and a key of all scopes, which can be served repeatedly. Failed authentications are not limited. */
export async function database(program: Program, parent = folder(), options: readonly string[] = []) {
  const file = join(parent, "accountd.db");
  const settings = { cwd: parent, env: { DATABASE_URL: file }, program };
  /** Creates an organization, and resolves with a key of it. */
  const createOrganization = async (name: string, ...keyOptions: string[]): Promise<string> => {
    await output(["organizations", "create", name], settings);
    return output(["keys", "create", "--organization", name, ...keyOptions], settings);
  };
  return {
    file,
    key: await createOrganization("Acme", "--scope", scopes.join(",")),
    createOrganization,
    serve: (): Promise<Running> =>
      start(["serve", "--port", "0", "--auth-failure-limit", "0", ...options], settings),
    /** Runs accountd check. Throws when it finds damage. */
    check: () => output(["check"], settings),
  };
}
