import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { guideNames } from "../shared/guides.ts";
import { guidePage, servedMarkdown, withExamples } from "./guides.ts";
import { llmsIndex } from "./llms.ts";

/**
 * Builds the files of the API reference into `dist/`, in gzip, which `src/http/openapi/documentation.ts` embeds: Swagger UI,
 * the script that starts it, its styles, and the guides. Run by `bun run build:console`.
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

/** The tokens of the console and the files as one style sheet. */
async function joinStyles(...files: string[]): Promise<string> {
  const tokens = join(import.meta.dir, "../console/app/styles/tokens.css");
  const texts = await Promise.all([tokens, ...files].map((path) => Bun.file(path).text()));
  return texts.join("\n");
}

await mkdir(folder, { recursive: true });
const viewer = join(Bun.resolveSync("swagger-ui-dist/package.json", import.meta.dir), "..");
const script = await Bun.file(join(viewer, "swagger-ui-bundle.js")).text();
await store("api-reference.js", script.replace(/\n\/\/# sourceMappingURL=.*$/, ""));
const viewerStyles = await joinStyles(join(viewer, "swagger-ui.css"), join(import.meta.dir, "viewer.css"));
await store("api-reference.css", viewerStyles.replace(/\n\/\*# sourceMappingURL=.*?\*\//, ""));
await store("start.js", await buildStartScript());
await store("guide.css", await joinStyles(join(import.meta.dir, "guide.css")));
const readExample = (name: string) => Bun.file(join(docs, "examples", name)).text();
const markdown = await Promise.all(
  guideNames.map(async (name) => withExamples(await Bun.file(join(docs, `${name}.md`)).text(), readExample)),
);
for (const [i, name] of guideNames.entries()) await store(`${name}.html`, guidePage(name, markdown[i] ?? ""));
await store("llms.txt", llmsIndex());
const served = guideNames.map((name, i) => servedMarkdown(name, markdown[i] ?? ""));
await store("llms-full.txt", served.join("\n"));
