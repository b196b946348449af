import {
  accountReference,
  attributeOf,
  attributePrefix,
  type CellType,
  importedFields,
  isAccountReference,
  isNamePart,
  simplifyName,
} from "../file-fields.ts";
import { type FileRows, fieldsOf } from "../resources.ts";
import { countOriginalColumns } from "./rejected-lines.ts";

/** A field that a column could be. Without a type, an attribute gets its stored type, or one of its values. */
export type ColumnGuess = { index: number; field: string; type: CellType | undefined; rank: number };
/**
 * 0: the exact name of the field, 1: a similar name, 2: `account_id` of another system, from 3 on: synonyms in order, from
 * 100 on: names that a text in parentheses follows.
 */
const accountRank = 2;
const synonymRank = 3;
const parenthesesRank = 100;
const attributeRank = 1_000;

/** The number of first rows whose values the guess reads, and of their characters after which it reads no further part. */
export const maxGuessRows = 1_000;
export const maxGuessLength = 1_048_576;

type GuessInput = {
  header: readonly string[];
  resource: FileRows;
  attributeTypes: Readonly<Record<string, CellType>>;
  /** The cells of the first rows. */
  samples: readonly (readonly string[])[];
  /** Whether the caller chose the resource: the file is not proposed as contacts. */
  isResourceChosen?: boolean;
};

/** The fields that the columns could be by their names. */
export function namedColumns(header: readonly string[], resource: FileRows): ColumnGuess[] {
  return header.flatMap((name, index) => {
    const found = namedField(header, name, resource);
    return found ? [{ ...found, index }] : [];
  });
}

/** Whether the name of a column is one of the field itself, and no synonym. */
export function isOwnName({ rank }: ColumnGuess): boolean {
  return rank < synonymRank;
}

/** Whether a column is read as `accountExternalId` although its name is `account_id` or similar. */
export function isGuessedReference({ field, rank }: ColumnGuess): boolean {
  return field === accountReference && rank >= accountRank;
}

/**
 * `accountId` is the id that accountd assigned where `accountExternalId` is another column, as in an export. In a file of
 * another system, it and `account_id` are the external id.
 */
function namedField(
  header: readonly string[],
  name: string,
  resource: FileRows,
): Omit<ColumnGuess, "index"> | undefined {
  const fields = Object.entries(importedFields[resource]);
  const exact = fields.find(([field]) => field === name);
  if (exact && (name !== "accountId" || header.includes(accountReference)))
    return { field: name, type: exact[1], rank: 0 };
  const attribute = "attributes" in fieldsOf(resource) ? attributeOf(name) : undefined;
  if (attribute) return { field: attributePrefix + attribute.attribute, type: attribute.type, rank: 0 };
  const found = similarField(simplifyName(name), resource);
  const other = found ?? similarField(bareName(name), resource);
  return found ?? (other && { ...other, rank: other.rank + parenthesesRank });
}

/** The simplified name without a text in parentheses at its end: `mrr` for "MRR (EUR)". */
function bareName(name: string): string {
  return simplifyName(name.replace(/\([^()]*\)\s*$/, ""));
}

function similarField(simple: string, resource: FileRows): Omit<ColumnGuess, "index"> | undefined {
  const reference = accountReference in importedFields[resource] ? referenceNames.indexOf(simple) : -1;
  if (reference >= 0) return { field: accountReference, type: "string", rank: accountRank + reference };
  const found = Object.entries(importedFields[resource]).flatMap(([field, type]) => {
    if (simplifyName(field) === simple) return { field, type, rank: 1 };
    const synonym = fieldsOf(resource)[field]?.synonyms?.indexOf(simple) ?? -1;
    return synonym < 0 ? [] : { field, type, rank: synonymRank + synonym };
  });
  return found.toSorted((a, b) => a.rank - b.rank)[0];
}

/**
 * What the columns of a file are by their names and values: each field gets the column with the best name, an address
 * the column that has addresses, and a stored attribute the column with its name. Two columns with equally good names are
 * both returned. A column for which `isMapped`, and a field for which `isFilled`, has no guess. The columns that only an
 * export or a file of rejected lines adds are no attributes.
 */
export function guessColumns(
  { header, resource, attributeTypes, samples, isResourceChosen }: GuessInput,
  { isMapped = (_index: number): boolean => false, isFilled = (_field: string): boolean => false } = {},
): ColumnGuess[] {
  const proposal = resource === "accounts" && !isResourceChosen ? findContacts(header, samples) : undefined;
  const named = namedColumns(header, resource).filter(({ index }) => !isMapped(index));
  const isComplete = (index: number) => samples.every((cells) => (cells[index] ?? "").trim() !== "");
  // Parts of a name are read where it is empty.
  const hasName = isFilled("name") || named.some(({ index, field }) => field === "name" && isComplete(index));
  const free = named.filter(
    (guess) =>
      !(hasName && isNamePart(guess.field)) &&
      !isFilled(guess.field) &&
      guess.index !== proposal?.account &&
      (guess.field !== "logoUrl" || isOwnName(guess) || hasOnly(url, samples, guess.index)),
  );
  const guesses = [...Map.groupBy(free, ({ field }) => field).values()].flatMap((candidates) => {
    const best = Math.min(...candidates.map(({ rank }) => rank));
    return candidates.filter(({ rank }) => rank === best);
  });
  const guessed = new Set(guesses.map(({ index }) => index));
  const isFree = (index: number) => !isMapped(index) && !guessed.has(index);
  const hasField = (field: string) => isFilled(field) || guesses.some((guess) => guess.field === field);
  const originalCount = countOriginalColumns(header, resource);
  for (const [index, name] of header.entries()) {
    const isOwn = isAssigned(name, resource) || index >= originalCount;
    if (!isFree(index) || index === proposal?.account || isOwn) continue;
    const attribute = storedAttribute(name, attributeTypes);
    const field = attributePrefix + attribute;
    if (attribute !== undefined && !hasField(field))
      guesses.push({ index, field, type: undefined, rank: attributeRank });
    else if (resource === "contacts" && !hasField("email") && hasOnly(address, samples, index))
      guesses.push({ index, field: "email", type: "string", rank: attributeRank });
  }
  return guesses.toSorted((a, b) => a.index - b.index);
}

/** Whether an export has a column with this name that callers cannot set, such as `createdAt`. */
function isAssigned(name: string, resource: FileRows): boolean {
  const field = Object.hasOwn(fieldsOf(resource), name) ? fieldsOf(resource)[name] : undefined;
  return field !== undefined && field.input === undefined && field.kind !== "flag";
}

/** The attribute of the organization with the name of a column, else with one that differs in case, blanks, `_` and `-`. */
export function storedAttribute(name: string, types: GuessInput["attributeTypes"]): string | undefined {
  const names = Object.keys(types);
  return names.includes(name) ? name : names.find((other) => simplifyName(other) === simplifyName(name));
}

const url = /^https?:\/\/\S+$/i;
const address = /^[^\s@,;]+@[^\s@,;.]+(?:\.[^\s@,;.]+)+$/;

function hasOnly(pattern: RegExp, samples: GuessInput["samples"], index: number): boolean {
  const texts = samples.map((cells) => (cells[index] ?? "").trim()).filter((text) => text !== "");
  return texts.length > 0 && texts.every((text) => pattern.test(text));
}

const accountIdNames = [
  "accountid",
  "companyid",
  "organizationid",
  "associatedcompanyid",
  "associatedcompanyids",
];
/** A customer may be an account or a person: its id shows no contacts. */
const referenceNames = [...accountIdNames, "customerid"];
const accountNames = [
  "account",
  "company",
  "accountname",
  "companyname",
  "organization",
  "organizationname",
  "associatedcompany",
];
const personNames = ["firstname", "lastname", ...fieldNames("name")];

/**
 * The columns of the address and of the account in a file of contacts. A name of an account alone shows no contacts: it
 * needs a column of persons too.
 */
function findContacts(
  header: readonly string[],
  samples: GuessInput["samples"],
): { address: number; account: number } | undefined {
  const names = header.map(bareName);
  const named = names.findIndex((name) => fieldNames("email").includes(name));
  const email = named < 0 ? header.findIndex((_, index) => hasOnly(address, samples, index)) : named;
  const id = names.findIndex((name) => accountIdNames.includes(name));
  const hasPersons = names.some((name) => personNames.includes(name));
  const account = id < 0 && hasPersons ? names.findIndex((name) => accountNames.includes(name)) : id;
  return email < 0 || account < 0 ? undefined : { address: email, account };
}

function fieldNames(field: string): readonly string[] {
  return [field, ...(fieldsOf("contacts")[field]?.synonyms ?? [])];
}

const usageDayNames = ["event", "day", "count"];

/** Whether rows with these members are days of usage: accounts do not have them. */
export function isUsageDay(names: readonly string[]): boolean {
  return usageDayNames.every((name) => names.includes(name));
}

/** What a file is that does not have accounts: `resource` is undefined if it is one of several. */
type OtherResource = { text: string; column: string; resource: FileRows | undefined };

/**
 * Why a file is not one of accounts: it refers to accounts, or has contacts or days of usage. Undefined if `isMapped` the
 * column that shows it. Without what to do.
 */
export function describeOtherResource(
  { header, samples }: Pick<GuessInput, "header" | "samples">,
  isMapped: (index: number) => boolean,
): OtherResource | undefined {
  const reference = header.findIndex((name, index) => isAccountReference(name) && !isMapped(index));
  const column = header[reference];
  if (column !== undefined)
    return { text: `Rows of accounts have no ${column}.`, column, resource: undefined };
  const names = header.map(simplifyName);
  const event = names.indexOf("event");
  if (isUsageDay(names) && !isMapped(event)) {
    const text = "The file looks like days of usage: it has events, days and counts.";
    return { text, column: header[event] ?? "", resource: "usage-days" };
  }
  const found = findContacts(header, samples);
  if (!found || isMapped(found.account)) return undefined;
  const label = (index: number) => header[index] || `#${index + 1}`;
  const account = label(found.account);
  const text = `The file looks like contacts: it has addresses in ${label(found.address)} and accounts in ${account}.`;
  return { text, column: account, resource: "contacts" };
}
