import { fieldLabels, wordsOfName } from "../shared/field-labels.ts";
import { ofResourceTypes } from "../shared/resources.ts";
import type { ChangeRow } from "./list.ts";
import { presentSides } from "./sides.ts";
import { escapeForSlack } from "./slack-text.ts";

type ChangeSide = Readonly<Record<string, unknown>>;
type BothSides = { before: ChangeSide; after: ChangeSide };

const maxTextLength = 3_000;
/** Ids of the row, flags that repeat the status, and times of the write. */
const hidden = new Set(["id", "active", "churned", "onboarding", "createdAt", "updatedAt", "attributes"]);
/** Between the name of a row and its account. */
const prepositions: Readonly<Record<string, string | undefined>> = ofResourceTypes(
  ({ preposition }) => preposition,
);
/** The field of a new row that its message has. */
const detailOfNew: Readonly<Record<string, string>> = {
  account: "mrr",
  meeting: "startAt",
  request: "severity",
};
const labels: ReadonlyMap<string, string> = new Map(Object.entries(fieldLabels));
const numbers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 6 });

/**
 * A change as a message for an incoming webhook of Slack: a sentence of at most 3,000 characters. `accountName` is the name
 * of the account of the change; null if it is not known, or if there is no account.
 */
export function presentSlackMessage(row: ChangeRow, accountName: string | null): { text: string } {
  return { text: sentenceOf(row, accountName) };
}

function sentenceOf(row: ChangeRow, accountName: string | null): string {
  const { resource, action, resourceId, accountId } = row;
  if (resource === "health_settings") return "The health settings changed";
  const { before, after } = presentSides(row);
  const sides = { before: before ?? {}, after: after ?? {} };
  const { name, title } = { ...sides.before, ...sides.after };
  // An update has the name only if it changed.
  const rowName = name ?? title ?? null;
  const isAccount = resource === "account";
  const ofAccount = accountName ?? (isAccount ? rowName : null) ?? `account ${accountId}`;
  const account = `*${escapeForSlack(String(ofAccount))}*`;
  const ofRow = escapeForSlack(String(rowName ?? resourceId));
  const subject = isAccount ? account : `${ofRow} ${prepositions[resource]} ${account}`;
  const noun = wordsOfName(resource);
  switch (action) {
    case "created":
      return `New ${resource} ${subject}${detailOf(resource, sides.after)}`;
    case "deleted":
      return `${noun} ${subject} was deleted`;
    case "health_changed":
      return `${account} ${tierMoveOf(sides)}`;
    default:
      return withDifferences(isAccount ? account : `${noun} ${subject}`, sides);
  }
}

function tierMoveOf({ before, after }: BothSides): string {
  const [from, to] = [before, after].map(({ tier }) => (tier == null ? null : wordsOf(String(tier))));
  const [old, score] = [before, after].map(({ score }) => valueText("score", score));
  if (from == null) return `has its first score: ${to} (score ${score})`;
  if (to == null) return `has no score any more (was ${from}, score ${old})`;
  return `moved from ${from} to ${to} (score ${score}, was ${old})`;
}

const wordsOf = (code: string) => code.replaceAll("_", " ");

function detailOf(resource: string, row: ChangeSide): string {
  const name = detailOfNew[resource];
  const value = name && row[name];
  return name && value ? ` (${labelOf(name)} ${valueText(name, value)})` : "";
}

/** The fields and attributes that an update changed, as many as fit. */
function withDifferences(subject: string, { before, after }: BothSides): string {
  const differences = [
    ...differencesOf(before, after, hidden, labelOf),
    ...differencesOf(attributesOf(before), attributesOf(after), new Set(), (name) =>
      escapeForSlack(wordsOfName(name)),
    ),
  ];
  if (differences.length === 0) return `${subject} changed`;
  let text = `${subject}: ${differences[0]}`;
  for (const [i, difference] of differences.entries()) {
    if (i === 0) continue;
    const next = `${text}, ${difference}`;
    // Leaves room for the number of the others.
    if (next.length > maxTextLength - 30) return `${text} and ${differences.length - i} more`;
    text = next;
  }
  return text;
}

function differencesOf(
  before: ChangeSide,
  after: ChangeSide,
  hidden: ReadonlySet<string>,
  label: (name: string) => string,
): string[] {
  // A name such as `constructor` has no value in an object without it.
  const [old, updated] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...updated.keys(), ...old.keys()])]
    .filter((name) => !hidden.has(name))
    .map(
      (name) => `${label(name)} ${valueText(name, old.get(name))} → ${valueText(name, updated.get(name))}`,
    );
}

function attributesOf({ attributes }: ChangeSide): ChangeSide {
  // Safe: changes have attributes as an object.
  return (attributes ?? {}) as ChangeSide;
}

const labelOf = (name: string) => labels.get(name) ?? wordsOfName(name);

function valueText(name: string, value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "number") {
    const size = Math.abs(value);
    return size === 0 || (size >= 1e-6 && size < 1e15) ? numbers.format(value) : String(value);
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = String(value);
  if (text === "") return "empty";
  return /At$/.test(name) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)
    ? `${text.slice(0, 16).replace("T", " ")} UTC`
    : escapeForSlack(text);
}
