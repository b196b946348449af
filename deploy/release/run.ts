/** Builds a release into `dist/release`: a binary for each target, Debian and npm packages, licences, SBOM and SHA-256 sums. */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { buildBillOfMaterials, formatLicenses, readComponents } from "./components.ts";
import { buildDebianPackage } from "./debian.ts";
import { packClient, packProgram } from "./npm-packages.ts";
import { buildTarget } from "./runtime.ts";
import { RUNTIME_VERSION, releaseTargets } from "./targets.ts";

const root = join(import.meta.dir, "../..");
const folder = join(root, "dist/release");
if (Bun.version !== RUNTIME_VERSION) throw new Error(`A release is built by Bun ${RUNTIME_VERSION}`);

const { version } = await Bun.file(join(root, "package.json")).json();
const epoch = Number(await $`git -C ${root} log -1 --format=%ct`.text());
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const binaryOf = (name: string) => join(folder, `accountd-${version}-${name}`);
for (const target of releaseTargets) {
  await buildTarget(root, target, binaryOf(target.name));
  console.log(`accountd-${version}-${target.name}`);
}
const components = await readComponents(root);
const license = await Bun.file(join(root, "LICENSE")).text();
const licenses = formatLicenses(license, components);
await Bun.write(join(folder, "LICENSES.txt"), licenses);
const bill = buildBillOfMaterials(version, components);
await Bun.write(join(folder, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);

const tool = binaryOf(`linux-${process.arch}`);
for (const { name, debian } of releaseTargets) {
  if (debian === undefined) continue;
  const output = join(folder, `accountd_${version}_${debian}.deb`);
  const binary = binaryOf(name);
  await buildDebianPackage({ root, binary, tool, licenses, architecture: debian, version, output, epoch });
}
await packProgram(root, folder);
await packClient(root, folder);
const files = readdirSync(folder).sort();
await Bun.write(join(folder, "SHA256SUMS"), await $`sha256sum ${files}`.cwd(folder).text());
