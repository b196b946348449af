import { join } from "node:path";
import { folder, output, type Running, start } from "../binary/binary.ts";
import type { Program } from "../support/proof.ts";

/** A database with one organization and a key of it, which can be served again and again. */
export async function database(program: Program, parent = folder()) {
  const file = join(parent, "accountd.db");
  const settings = { cwd: parent, env: { DATABASE_URL: file }, program };
  await output(["organizations", "create", "Acme"], settings);
  const key = await output(["keys", "create", "--organization", "Acme"], settings);
  return {
    file,
    key,
    serve: (): Promise<Running> => start(["serve", "--port", "0"], settings),
    /** Has the file read through by the program. Throws when that finds damage. */
    check: () => output(["check"], settings),
  };
}
