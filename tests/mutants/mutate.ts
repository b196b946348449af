import * as ast from "typescript/unstable/ast";
import { type Edit, isIdle, mutationsOf } from "./mutations.ts";

/** A source with one mutation: the function or declaration that contains it, its change, and the changed line. */
export type Mutant = { place: string; change: string; code: string; text: string };
type PlacedEdit = Edit & { place: string };

/** Every mutant of a source, in the order of its text. */
export function mutantsOf(source: ast.SourceFile): Mutant[] {
  const edits: PlacedEdit[] = [];
  function visit(node: ast.Node, outer: string): void {
    if (isIdle(node)) return;
    const name = nameOf(node, outer, source);
    const place = [outer, name].filter(Boolean).join(".");
    edits.push(...mutationsOf(node, source).map((edit) => ({ ...edit, place })));
    node.forEachChild((child) => visit(child, place));
  }
  source.forEachChild((node) => visit(node, ""));
  const { text } = source;
  const seen = new Set<string>();
  return edits
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((edit) => mutantOf(text, edit))
    .filter((mutant) => !seen.has(mutant.text) && seen.add(mutant.text));
}

/** The name that a node adds to the place of its children. */
function nameOf(node: ast.Node, outer: string, source: ast.SourceFile): string | undefined {
  if (ast.isConstructorDeclaration(node)) return "constructor";
  if (ast.isFunctionDeclaration(node) || ast.isClassDeclaration(node)) return node.name?.getText(source);
  if (ast.isMethodDeclaration(node) || ast.isPropertyDeclaration(node) || ast.isGetAccessorDeclaration(node))
    return node.name.getText(source);
  const isNamed = ast.isVariableDeclaration(node) || ast.isPropertyAssignment(node);
  if (!isNamed || !(isFunction(node.initializer) || (outer === "" && ast.isVariableDeclaration(node))))
    return undefined;
  return node.name.getText(source).replaceAll(/\s+/g, " ");
}

function isFunction(node: ast.Node | undefined): boolean {
  return node !== undefined && (ast.isArrowFunction(node) || ast.isFunctionExpression(node));
}

function mutantOf(text: string, { start, end, to, place }: PlacedEdit): Mutant {
  const line = text.slice(0, start).split("\n").length;
  const from = text.slice(start, end);
  return {
    place,
    code: short(text.split("\n")[line - 1] ?? "", 110),
    change: `${short(from, 60)} → ${short(to.replace(" as boolean", "").replace(" as never", ""), 60) || "nothing"}`,
    text: text.slice(0, start) + to + text.slice(end),
  };
}

/** A piece of source on one line. The middle of a long piece is left out. */
function short(text: string, maxLength: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 21)} … ${line.slice(-18)}`;
}
