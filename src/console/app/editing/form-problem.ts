import { ProblemError } from "../../../../clients/typescript/src/problem.ts";
import { editing } from "../messages/messages.ts";
import { labelOf, withTypeNames } from "./members.ts";

/** An error whose message is for the reader. */
export class ReaderError extends Error {}

const advice: Readonly<Record<string, string>> = editing.advice;

/** The problems of a form by member: sentences that are shown at the fields. */
export type FieldProblems = ReadonlyMap<string, string>;

/** A problem of a form: the problems that are shown at its fields, and the text and the other problems above them. */
export type FormProblem = { text: string; fields: FieldProblems; others: string[] };

/** `hasInput` returns whether the form has an input for a member. Undefined for an error that is no problem. */
export function formProblemOf(
  error: unknown,
  hasInput: (member: string) => boolean,
): FormProblem | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const fields = new Map<string, string>();
  const others: string[] = [];
  for (const violation of error.errors) {
    const member = memberOf(violation);
    const text = `${labelOf(member)} ${withLabels(violation.detail)}.`;
    if (hasInput(member) && !fields.has(member)) fields.set(member, text);
    else others.push(text);
  }
  const text = fields.size > 0 ? advice[error.code ?? ""] : undefined;
  return { text: text ?? withLabels(error.detail), fields, others };
}

/** The problem after a field is corrected; undefined if it was the only one. */
export function withoutField({ fields, ...problem }: FormProblem, member: string): FormProblem | undefined {
  const others = new Map([...fields].filter(([name]) => name !== member));
  return others.size + problem.others.length > 0 ? { ...problem, fields: others } : undefined;
}

/** The member of a violation: `/attributes/plan` is `attributes.plan`. */
function memberOf(violation: ProblemError["errors"][number]): string {
  if ("pointer" in violation && violation.pointer !== undefined)
    return violation.pointer.slice(1).replaceAll("/", ".");
  return ("parameter" in violation ? violation.parameter : violation.header) ?? "";
}

/** The words of the screen instead of the API's: "must not be before startAt" is "must not be before Start". */
function withLabels(text: string): string {
  return withTypeNames(text)
    .replaceAll("`", "")
    .replace(/\b[a-z]+[A-Z]\w*\b/g, labelOf);
}
