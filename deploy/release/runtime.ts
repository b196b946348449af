import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { type ReleaseTarget, RUNTIME_VERSION } from "./targets.ts";

/**
 * Returns the path of the Bun executable of a target in `cache`, and downloads its npm package when it is not there.
 * Throws when the SHA-512 of the package is not the target's `integrity`.
 */
async function fetchRuntime(target: ReleaseTarget, cache: string): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const archive = join(cache, `oven-bun-${target.runtime}-${RUNTIME_VERSION}.tgz`);
  if (!existsSync(archive)) {
    await $`npm pack --silent --pack-destination ${cache} @oven/bun-${target.runtime}@${RUNTIME_VERSION}`.quiet();
  }
  const hash = new Bun.CryptoHasher("sha512").update(await Bun.file(archive).arrayBuffer());
  if (`sha512-${hash.digest("base64")}` !== target.integrity) throw new Error(`${archive}: wrong SHA-512`);
  const folder = join(cache, target.runtime);
  mkdirSync(folder, { recursive: true });
  await $`tar -xzf ${archive} -C ${folder} package/bin/bun`;
  return join(folder, "package/bin/bun");
}

/** Compiles the program in `root` for a target to the file `output`; the runtimes are cached in `dist/runtimes`. */
export async function buildTarget(root: string, target: ReleaseTarget, output: string): Promise<void> {
  const runtime = await fetchRuntime(target, join(root, "dist/runtimes"));
  const options = [`--target=bun-${target.name}`, `--compile-executable-path=${runtime}`];
  await $`bun run compile ${options} --outfile ${output}`.cwd(root).quiet();
}
