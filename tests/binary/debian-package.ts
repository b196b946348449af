import { join } from "node:path";
import { buildDebianPackage } from "../../deploy/release/debian.ts";
import { binary } from "./build.ts";

const root = join(import.meta.dir, "../..");

/** Builds a package of the compiled binary. */
export async function buildPackage(version: string, output: string): Promise<string> {
  const program = await binary();
  const input = { root, binary: program, tool: program, licenses: "MIT\n", architecture: "amd64" };
  await buildDebianPackage({ ...input, version, output, epoch: 1_700_000_000 });
  return output;
}
