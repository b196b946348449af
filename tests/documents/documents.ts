import { dirname, join, normalize } from "node:path";

const root = join(import.meta.dir, "../..");

/** The paths of the documents for users. */
export const documents = new Map<string, string>();
for (const path of [
  "README.md",
  "CHANGELOG.md",
  "src/quickstart/README.md",
  "tests/README.md",
  ...new Bun.Glob("docs/*.md").scanSync(root),
])
  documents.set(path, await Bun.file(join(root, path)).text());

/** The text of a document. Throws when there is none at the path. */
export function documentAt(path: string): string {
  const text = documents.get(path);
  if (text === undefined) throw new Error(`there is no document ${path}`);
  return text;
}

/** The part of a document below a heading, up to the next heading of the same or a higher level. */
export function sectionOf(path: string, heading: string): string {
  const text = documentAt(path);
  const start = text.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${path} has no heading ${heading}`);
  const level = heading.indexOf(" ");
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level}} `, "m"));
  return end === -1 ? rest : rest.slice(0, end);
}

/** The contents of the code blocks in a language, such as `sh`. */
export function codeBlocks(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, name, content]) => (name === language ? [content ?? ""] : []));
}

/** The texts between single backticks. */
export function codeSpans(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span ?? "");
}

/**
 * The paths in a layout block: each line has one or more paths and, after two spaces, a description. The indentation,
 * two spaces a level, is the folder.
 */
export function layoutPaths(block: string): string[] {
  const folders: string[] = [];
  return block.split("\n").flatMap((line) => {
    const [, indent = "", names = ""] = /^( *)(\S+(?: \S+)*)(?: {2,}.*)?$/.exec(line) ?? [];
    folders.length = indent.length / 2;
    const paths = names.split(" ").map((name) => folders.join("") + name);
    folders.push(names);
    return names === "" ? [] : paths;
  });
}

/** The links of a document to files or headings that do not exist. */
export async function brokenLinks(path: string): Promise<string[]> {
  const links = [...documentAt(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
  const broken: string[] = [];
  for (const link of links) {
    if (/^https?:/.test(link)) continue;
    const [file = "", heading] = link.split("#");
    const target = file === "" ? path : normalize(join(dirname(path), file));
    const exists = await existsInRepository(target);
    const text = documents.get(target) ?? "";
    if (!exists || (heading !== undefined && !anchorsOf(text).includes(heading)))
      broken.push(`${path} links to ${target}${heading === undefined ? "" : `#${heading}`}`);
  }
  return broken;
}

/** Whether a file, or a folder with files, is at the path. */
export async function existsInRepository(path: string): Promise<boolean> {
  if (await Bun.file(join(root, path)).exists()) return true;
  const [first] = new Bun.Glob(`${path.replace(/\/$/, "")}/**`).scanSync({ cwd: root, onlyFiles: true });
  return first !== undefined;
}

/** The anchors that GitHub generates for the headings of a document. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
