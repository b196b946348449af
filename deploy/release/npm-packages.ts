import { join } from "node:path";
import { $ } from "bun";
import { RUNTIME_VERSION } from "./targets.ts";

/** Writes `accountd-VERSION.tgz` into `folder`: the sources and the built console, which the npm package `bun` runs. */
export async function packProgram(root: string, folder: string): Promise<void> {
  const stage = join(folder, "npm");
  await $`rm -rf ${stage} && mkdir -p ${stage}`;
  await $`bun run build:console`.cwd(root).quiet();
  await $`cp -R src db docs LICENSE README.md CHANGELOG.md tsconfig.json ${stage}`.cwd(root);
  await $`cp ${join(import.meta.dir, "accountd.mjs")} ${stage}`;
  for (const engine of ["sqlite", "postgres"]) {
    const list = join(stage, "db", engine, "migrations/list.ts");
    // Bun runs no macro of a file in node_modules: as a function it reads the folder at the start.
    await Bun.write(list, (await Bun.file(list).text()).replace(' with { type: "macro" }', ""));
  }
  const { description, license, version, dependencies } = await Bun.file(join(root, "package.json")).json();
  const manifest = {
    ...{ name: "accountd", version, description, license, type: "module" },
    bin: { accountd: "accountd.mjs" },
    dependencies: { ...dependencies, bun: RUNTIME_VERSION },
  };
  await Bun.write(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await $`npm pack --ignore-scripts --pack-destination ${folder}`.cwd(stage).quiet();
  await $`rm -rf ${stage}`;
}

/** Writes `accountd-client-VERSION.tgz` into `folder`. */
export async function packClient(root: string, folder: string): Promise<void> {
  await $`bun run build:client`.cwd(root).quiet();
  await $`npm pack --ignore-scripts --pack-destination ${folder}`
    .cwd(join(root, "clients/typescript"))
    .quiet();
}
