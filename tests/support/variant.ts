import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { removeAfterTheRun } from "../binary/build.ts";
import type { Modules } from "./modules.ts";
import type { Program } from "./proof.ts";

/** Exports of modules, each with a function that returns its replacement, given the original module. */
export type Replacements = {
  readonly [Path in keyof Modules]?: {
    readonly [Name in keyof Modules[Path]]?: (original: Modules[Path]) => Modules[Path][Name];
  };
};

/** The program with some exports replaced. Its name ends the sentence "where …". */
export type Variant = {
  name: string;
  /** The file that exports the variant: the program imports the replacements from there. */
  source: string;
  replace: Replacements;
};

const root = join(import.meta.dir, "../..");

/** Bundles the program with the replacements. */
export async function buildVariant(variant: Variant): Promise<Program> {
  const outdir = mkdtempSync(join(tmpdir(), "accountd-variant-"));
  removeAfterTheRun(outdir);
  const unused = new Set(Object.keys(variant.replace));
  const result = await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    outdir,
    // The paths of embedded files: without it, they would be relative to the working directory.
    publicPath: `${outdir}/`,
    target: "bun",
    throw: false,
    plugins: [replaceExports(variant, (path) => unused.delete(path))],
  });
  if (!result.success) throw new AggregateError(result.logs, `the program where ${variant.name}: no build`);
  if (unused.size > 0) throw new Error(`the program does not import ${[...unused].join(", ")}`);
  return [process.execPath, "--no-env-file", join(outdir, "main.js")];
}

const prefix = "original:";
/** Two modules of a bundle need different paths. */
const suffix = ".original";

/** Replaces each module by one with the replaced exports, which re-exports everything else from the original. */
function replaceExports(variant: Variant, onLoaded: (path: string) => void): BunPlugin {
  return {
    name: "replaced exports",
    setup(build) {
      for (const [path, exports] of Object.entries(variant.replace)) {
        const file = join(root, path);
        build.onLoad({ filter: new RegExp(`^${RegExp.escape(file)}$`) }, () => {
          onLoaded(path);
          return { loader: "ts", contents: moduleWith(variant, path, file, Object.keys(exports)) };
        });
      }
      build.onResolve({ filter: new RegExp(`^${prefix}`) }, ({ path }) => ({
        path: path.slice(prefix.length) + suffix,
        namespace: "original",
      }));
      build.onLoad({ filter: /./, namespace: "original" }, async ({ path }) => ({
        loader: "ts",
        contents: await Bun.file(path.slice(0, -suffix.length)).text(),
      }));
    },
  };
}

function moduleWith({ name, source }: Variant, path: string, file: string, names: string[]): string {
  const original = JSON.stringify(prefix + file);
  return [
    `import * as original from ${original};`,
    `import * as exported from ${JSON.stringify(source)};`,
    `export * from ${original};`,
    `const variant = Object.values(exported).find(({ name }) => name === ${JSON.stringify(name)});`,
    `const make = variant.replace[${JSON.stringify(path)}];`,
    ...names.map((name) => `export const ${name} = make.${name}(original);`),
  ].join("\n");
}
