import { join } from "node:path";
import { RUNTIME_VERSION } from "./targets.ts";

/** A package inside the binary. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** Returns the production dependencies of `root` and their dependencies, as installed, in the order of their names. */
export async function readComponents(root: string): Promise<Component[]> {
  const components = new Map<string, Component>();
  const add = async (name: string) => {
    if (components.has(name)) return;
    const folder = join(root, "node_modules", name);
    const manifest = await Bun.file(join(folder, "package.json")).json();
    const file = [...new Bun.Glob("{LICEN[CS]E,licen[cs]e}*").scanSync(folder)].sort()[0];
    const text = file === undefined ? "" : await Bun.file(join(folder, file)).text();
    components.set(name, { name, version: manifest.version, license: manifest.license, text });
    for (const dependency of Object.keys(manifest.dependencies ?? {})) await add(dependency);
  };
  const { dependencies } = await Bun.file(join(root, "package.json")).json();
  for (const name of Object.keys(dependencies)) await add(name);
  return [...components.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the licences of accountd, of Bun and of the components, one after the other. */
export function formatLicenses(license: string, components: readonly Component[]): string {
  const bun = `bun ${RUNTIME_VERSION}: MIT; it contains JavaScriptCore (LGPL-2.0-or-later) and other libraries,
which https://bun.com/docs/project/license lists.`;
  const others = components.map((item) => `${item.name} ${item.version}: ${item.license}\n\n${item.text}`);
  return `${[`accountd\n\n${license}`, bun, ...others].map((text) => text.trim()).join(`\n\n${"-".repeat(72)}\n\n`)}\n`;
}

/** Returns the CycloneDX 1.6 bill of materials (https://cyclonedx.org/docs/1.6/json/). */
export function buildBillOfMaterials(version: string, components: readonly Component[]): object {
  const bun = { name: "bun", version: RUNTIME_VERSION, license: "MIT" };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": "accountd", name: "accountd", version } },
    components: [bun, ...components].map((item) => {
      const purl = `pkg:npm/${item.name.replace("@", "%40")}@${item.version}`;
      const licenses = [{ license: { id: item.license } }];
      return { type: "library", "bom-ref": purl, name: item.name, version: item.version, licenses, purl };
    }),
  };
}
