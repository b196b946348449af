import { type AttributeType, attributeTypes } from "../../db/schema.ts";
import {
  ATTRIBUTES_PARAMETER,
  attributedResources,
  attributeNamePattern,
  attributePrefix,
} from "../core/attributes.ts";
import { closestName } from "../core/did-you-mean.ts";
import type { FileResource } from "../core/file-resources.ts";
import { UsageError } from "../core/operator-error.ts";
import { importedChoices, importedMembers } from "../imports/rows.ts";

/** The member that a column is imported as. An attribute without a type gets that of its name in the organization. */
export type ColumnTarget = { member: string; type: AttributeType | undefined };
/** A column by `--map`. */
export type NamedTarget = ColumnTarget & { column: string };
/** The targets of `--map`, and what the organization has. */
export type ImportMap = {
  resource: FileResource;
  targets: readonly NamedTarget[];
  /** The types of the attributes that rows of the resource have, by name. */
  attributeTypes: Readonly<Record<string, AttributeType>>;
};
/** A column of the file: `index` counts from 0. `choices` are all values of the member, if they are a fixed list. */
export type MappedColumn = {
  member: string;
  type: AttributeType;
  index: number;
  choices?: readonly string[] | undefined;
};
export type ColumnMap = {
  columns: MappedColumn[];
  /** The names of the columns that are not imported. */
  ignored: string[];
  /** The attributes that the organization does not have yet, and that have no type in the file or the map: strings. */
  newStrings: string[];
};

const attributeMember = new RegExp(
  `^attributes\\.(${attributeNamePattern})(?::(${attributeTypes.join("|")}))?$`,
);

/**
 * Reads `--map "Symbol=externalId,Founded=attributes.founded:number"`. `\,` is a comma in the name of a column, which
 * ends at the last `=`. Throws UsageError for a member that the resource does not have, or that two columns are mapped
 * to.
 */
export function parseMap(text: string, resource: FileResource): NamedTarget[] {
  const targets: NamedTarget[] = [];
  for (const part of text.split(/(?<!\\),/)) {
    const entry = part.replaceAll("\\,", ",");
    const at = entry.lastIndexOf("=");
    const column = entry.slice(0, at).trim();
    if (at < 0 || column === "")
      throw invalidMapping(`--map has ${JSON.stringify(entry)}: write COLUMN=MEMBER, separated by commas.`);
    const name = entry.slice(at + 1).trim();
    const target = targetOf(name, resource) ?? unknownMember(name, resource);
    if (targets.some(({ member }) => member === target.member))
      throw invalidMapping(`--map has two columns for ${target.member}. Leave one out.`);
    targets.push({ column, ...target });
  }
  return targets;
}

/** The member of a name such as `mrr`, `attributes.plan` or `attributes.seats:number`; undefined if there is none. */
function targetOf(name: string, resource: FileResource): ColumnTarget | undefined {
  const members = importedMembers[resource];
  if (Object.hasOwn(members, name)) return { member: name, type: members[name] };
  const [, attribute, type] = attributeMember.exec(name) ?? [];
  if (attribute === undefined || !attributedResources[resource]) return undefined;
  // Safe: the types of the expression.
  return { member: attributePrefix + attribute, type: type as AttributeType | undefined };
}

function unknownMember(name: string, resource: FileResource): never {
  const hasAttributes = attributedResources[resource] !== undefined;
  const names = [...Object.keys(importedMembers[resource]), ...(hasAttributes ? [ATTRIBUTES_PARAMETER] : [])];
  const closest = closestName(name, names);
  const advice = closest === undefined ? `The members are ${names.join(", ")}.` : `Did you mean ${closest}?`;
  const hint =
    hasAttributes && name.startsWith(attributePrefix)
      ? "An attribute is attributes.NAME or attributes.NAME:TYPE, with a name of 1 to 64 letters, digits and underscores that begins with a letter, and the type string, number or boolean."
      : advice;
  throw invalidMapping(`A row of ${resource} has no member ${JSON.stringify(name)}. ${hint}`);
}

/**
 * The columns of a file with this header: those of the map, those with the name of a member that is not in the map, and
 * those with a similar name of a member that has no column then. Throws UsageError for a column of the map that is not in
 * the file, for an imported column that is there twice, for two columns with similar names, and without a column for
 * `externalId`.
 */
export function mapColumns(header: readonly string[], map: ImportMap): ColumnMap {
  assertResource(header, map);
  const targets: NamedTarget[] = [...map.targets];
  const members = new Set(targets.map(({ member }) => member));
  for (const column of header) {
    const target = targetOf(column, map.resource);
    if (!target || members.has(target.member)) continue;
    members.add(target.member);
    targets.push({ column, ...target });
  }
  targets.push(...similarTargets(header, targets, map.resource));
  const choices = importedChoices[map.resource];
  const columns = targets.map((target) => ({
    member: target.member,
    type: typeOf(target, map),
    index: indexOf(header, target.column),
    choices: Object.hasOwn(choices, target.member) ? choices[target.member] : undefined,
  }));
  if (!targets.some(({ member }) => member === "externalId"))
    throw invalidMapping(
      `No column is imported as externalId. Add --map "COLUMN=externalId". The columns are ${header.join(", ")}.`,
    );
  const imported = new Set(columns.map(({ index }) => index));
  return {
    columns,
    ignored: header.filter((name, index) => name !== "" && !imported.has(index)),
    newStrings: targets.filter((target) => isNewString(target, map)).map(({ member }) => member),
  };
}

/** A name of a column or a member without blanks, `_`, `-` and case. */
function simplify(name: string): string {
  return name.replace(/[\s_-]/g, "").toLowerCase();
}

/** The columns with a name such as `External ID`, of members that have no column yet. Those in `targets` have theirs. */
function similarTargets(
  header: readonly string[],
  targets: readonly NamedTarget[],
  resource: FileResource,
): NamedTarget[] {
  const columns = header.filter((name) => !targets.some(({ column }) => column === name));
  return Object.entries(importedMembers[resource]).flatMap(([member, type]) => {
    if (targets.some((target) => target.member === member)) return [];
    const [column, other] = new Set(columns.filter((name) => simplify(name) === simplify(member)));
    if (column === undefined) return [];
    if (other !== undefined)
      throw invalidMapping(
        `The columns ${column} and ${other} could both be ${member}. Choose one: --map "${column}=${member}".`,
      );
    return { column, member, type };
  });
}

/** The column that rows of contacts, meetings and requests have, and accounts do not. */
const subResourceColumn = "accountExternalId";

/** Throws UsageError for a file of another resource: its rows would be imported as accounts. */
function assertResource(header: readonly string[], { resource, targets }: ImportMap): void {
  if (resource !== "accounts") return;
  const column = header.find((name) => simplify(name) === simplify(subResourceColumn));
  if (column !== undefined && !targets.some((target) => target.column === column))
    throw invalidMapping(
      `Rows of accounts have no ${column}. Add --resource contacts, meetings or requests, or rename the column.`,
    );
}

/** The type of a target: its own, or that of the attribute in the organization, or else a string. */
export function typeOf({ member, type }: ColumnTarget, { attributeTypes }: ImportMap): AttributeType {
  const name = member.slice(attributePrefix.length);
  return type ?? (Object.hasOwn(attributeTypes, name) ? attributeTypes[name] : undefined) ?? "string";
}

function isNewString({ member, type }: ColumnTarget, { attributeTypes }: ImportMap): boolean {
  if (!member.startsWith(attributePrefix) || type !== undefined) return false;
  return !Object.hasOwn(attributeTypes, member.slice(attributePrefix.length));
}

function indexOf(header: readonly string[], column: string): number {
  const index = header.indexOf(column);
  if (index >= 0 && header.indexOf(column, index + 1) < 0) return index;
  if (index >= 0) throw invalidMapping(`The file has the column ${column} twice. Rename one of them.`);
  const closest = closestName(column, header);
  const advice = closest === undefined ? `Its columns are ${header.join(", ")}.` : `Did you mean ${closest}?`;
  throw invalidMapping(`The file has no column ${column}. ${advice}`);
}

function invalidMapping(message: string): UsageError {
  return new UsageError(message, "invalid_mapping");
}
