import { join } from "node:path";

const root = join(import.meta.dir, "..");

/**
 * Builds the package into a folder: one module for Bun, Node and browsers with the library it uses, and the declarations.
 * Returns the size of the module in bytes. Throws when the compiler reports an error.
 */
export async function buildPackage(folder: string): Promise<number> {
  const compiler = Bun.spawn(
    [process.execPath, "x", "--bun", "tsc", "-p", "tsconfig.build.json", "--outDir", folder],
    { cwd: root },
  );
  const errors = await new Response(compiler.stdout).text();
  if ((await compiler.exited) !== 0) throw new Error(errors);
  const { outputs } = await Bun.build({
    entrypoints: [join(root, "src/client.ts")],
    outdir: folder,
    target: "browser",
  });
  return outputs[0]?.size ?? 0;
}
