import type { Node, SourceFile } from "typescript/unstable/ast";
import { type Edit, isIdle, mutationsOf } from "./mutations.ts";

/** A source with one mutation. `line` and `code` say where it is, `change` what it is. */
export type Mutant = { line: number; code: string; change: string; text: string };

/** Every mutant of a source, in the order of its text. */
export function mutantsOf(source: SourceFile): Mutant[] {
  const edits: Edit[] = [];
  function visit(node: Node): void {
    if (isIdle(node)) return;
    edits.push(...mutationsOf(node, source));
    node.forEachChild(visit);
  }
  source.forEachChild(visit);
  const { text } = source;
  const seen = new Set<string>();
  return edits
    .sort((one, other) => one.start - other.start || one.end - other.end)
    .map((edit) => mutantOf(text, edit))
    .filter((mutant) => !seen.has(mutant.text) && seen.add(mutant.text));
}

function mutantOf(text: string, { start, end, to }: Edit): Mutant {
  const line = text.slice(0, start).split("\n").length;
  const from = text.slice(start, end);
  return {
    line,
    code: short(text.split("\n")[line - 1] ?? "", 110),
    change: `${short(from, 60)} → ${short(to.replace(" as boolean", "").replace(" as never", ""), 60) || "nothing"}`,
    text: text.slice(0, start) + to + text.slice(end),
  };
}

/** A piece of source in one line, its middle left out where it is long. */
function short(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  return `${line.slice(0, most - 21)} … ${line.slice(-18)}`;
}
