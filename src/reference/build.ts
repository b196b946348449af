import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { guideNames } from "../shared/guides.ts";
import { guidePage } from "./guides.ts";

/**
 * Builds the files of the API reference into `dist/`, in gzip, which `src/http/openapi/documentation.ts` embeds: Scalar's
 * viewer, the script that starts it, and the guides. Run by `bun run build:console`.
 */
const folder = join(import.meta.dir, "dist");
const docs = join(import.meta.dir, "../../docs");
const compression = { level: 9 } as const;

async function store(name: string, content: string): Promise<void> {
  await Bun.write(join(folder, `${name}.gz`), Bun.gzipSync(content, compression));
}

async function buildStartScript(): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, "../console/app/reference/start.ts")],
    target: "browser",
    minify: true,
  });
  const [script] = outputs;
  if (!script) throw new Error("the script of the reference has no output");
  return script.text();
}

await mkdir(folder, { recursive: true });
const viewer = Bun.resolveSync("@scalar/api-reference/package.json", import.meta.dir);
const script = await Bun.file(join(viewer, "../dist/browser/standalone.js")).text();
// A text in Base64 is the viewer's placeholder for a key.
const named = script.replaceAll("QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT", "ak_…");
// Zod, in the viewer, tries `Function("")` otherwise, which the content security policy blocks and reports.
await store("api-reference.js", `globalThis.__zod_globalConfig={jitless:true};\n${named}`);
await store("start.js", await buildStartScript());
await store("guide.css", await Bun.file(join(import.meta.dir, "guide.css")).text());
for (const name of guideNames)
  await store(`${name}.html`, guidePage(name, await Bun.file(join(docs, `${name}.md`)).text()));
