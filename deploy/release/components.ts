import { join } from "node:path";
import { runtimeLibraries } from "./runtime-libraries.ts";
import { RUNTIME_VERSION } from "./targets.ts";

/** An npm package inside the binary. `text` is its licences and notices. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** The scripts whose imports are in the binary: of the program, the console and the reference. */
const entrypoints = ["src/main.ts", "src/console/app/main.tsx", "src/console/app/reference/start.ts"];

/** Returns the npm packages that the scripts of `root` import, and its direct dependencies, in the order of their names. */
export async function readComponents(root: string): Promise<Component[]> {
  const { dependencies } = await Bun.file(join(root, "package.json")).json();
  const folders = new Set(Object.keys(dependencies).map((name) => join(root, "node_modules", name)));
  for (const entrypoint of entrypoints) {
    const { metafile } = await Bun.build({
      entrypoints: [join(root, entrypoint)],
      target: "bun",
      metafile: true,
    });
    for (const path of Object.keys(metafile?.inputs ?? {})) {
      const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(join(process.cwd(), path)) ?? [];
      if (folder !== undefined) folders.add(folder);
    }
  }
  const found = await Promise.all([...folders].map(readComponent));
  // The client has its own copy of a package after its tests were installed.
  const components = new Map(found.map((component) => [`${component.name}@${component.version}`, component]));
  return [...components.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function readComponent(folder: string): Promise<Component> {
  const { name, version, license } = await Bun.file(join(folder, "package.json")).json();
  const files = [...new Bun.Glob("*{LICEN[CS]E,licen[cs]e,NOTICE}*").scanSync(folder)].sort();
  const texts = await Promise.all(files.map((file) => Bun.file(join(folder, file)).text()));
  return { name, version, license, text: [...new Set(texts.map((text) => text.trim()))].join("\n\n") };
}

/** Returns the licences of accountd, of Bun with its libraries, and of the components; each text once. */
export function formatLicenses(license: string, components: readonly Component[]): string {
  const libraries = Object.entries(runtimeLibraries).map(([name, id]) => `${name}: ${id}`);
  const bun = `bun ${RUNTIME_VERSION}: MIT, with the libraries below (https://bun.com/docs/project/license). The source of
JavaScriptCore, to change and link it again: https://github.com/oven-sh/WebKit\n\n${libraries.join("\n")}`;
  const byText = Map.groupBy(components, ({ text }) => text);
  const others = [...byText].map(([text, items]) =>
    [...items.map((item) => `${item.name} ${item.version}: ${item.license}`), "", text].join("\n"),
  );
  return `${[`accountd\n\n${license}`, bun, ...others].map((text) => text.trim()).join(`\n\n${"-".repeat(72)}\n\n`)}\n`;
}

/** Returns the CycloneDX 1.6 bill of materials (https://cyclonedx.org/docs/1.6/json/). */
export function buildBillOfMaterials(version: string, components: readonly Component[]): object {
  const bun = { name: "bun", version: RUNTIME_VERSION, license: "MIT" };
  const libraries = Object.entries(runtimeLibraries).map(([name, expression]) => {
    return { type: "library", "bom-ref": `bun/${name}`, name, licenses: [{ expression }] };
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", "bom-ref": "accountd", name: "accountd", version } },
    components: [bun, ...components].map((item) => {
      const purl = `pkg:npm/${item.name.replace("@", "%40")}@${item.version}`;
      const licenses = [{ expression: item.license }];
      const parts = item === bun ? { components: libraries } : {};
      return {
        ...{ type: "library", "bom-ref": purl, name: item.name, version: item.version, licenses, purl },
        ...parts,
      };
    }),
  };
}
