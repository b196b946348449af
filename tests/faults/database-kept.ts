import { join } from "node:path";
import { folder, output, type Running, start } from "../binary/binary.ts";
import type { Breakage } from "../support/broken.ts";
import type { Program } from "../support/proof.ts";

/** What a disk that fails does to a program that does not look: for every proof in which one fails. */
export const swallowedCommit: Breakage = {
  name: "a commit that failed is answered as if it had succeeded",
  edits: [
    {
      file: "db/sqlite/write-queue.ts",
      from: 'connection.execute("COMMIT");\n        answer(outcomes);',
      to: 'try {\n          connection.execute("COMMIT");\n        } catch {}\n        answer(outcomes);',
    },
  ],
};

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
