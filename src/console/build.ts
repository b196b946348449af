import { basename, join } from "node:path";

/**
 * Builds the console's pages for browsers into `dist/`, in gzip, which `assets.ts` embeds: one script and one style sheet.
 * Run by `bun run build:console`, before the program starts, is tested or is compiled. Exits with 1 after an error.
 */
const result = await Bun.build({
  entrypoints: [join(import.meta.dir, "app/main.tsx")],
  naming: "[name].[ext]",
  publicPath: "/console/",
  target: "browser",
  minify: true,
  define: { "process.env.NODE_ENV": '"production"' },
  throw: false,
});
for (const message of result.logs) console.error(message);
for (const output of result.outputs)
  await Bun.write(
    join(import.meta.dir, "dist", `${basename(output.path)}.gz`),
    Bun.gzipSync(await output.arrayBuffer(), { level: 9 }),
  );
if (!result.success) process.exitCode = 1;
