import { eq, sql } from "drizzle-orm";
import { type Column, input } from "../../../db/expressions.ts";
import { organizationSettings } from "../../../db/schema.ts";
import {
  type AttributeValue,
  attributePrefix,
  differingAttributes,
  maxAttributes,
  parseAttributes,
} from "../attributes/attributes.ts";
import { parseStoredJson } from "../stored-json.ts";
import { existsIn } from "../tenant/statements.ts";

/** The value of a member, and when it was set: milliseconds since 1970 UTC. */
type TimedValue = readonly [value: AttributeValue | null, time: number];
/** A member that was never set. */
export const UNSET: TimedValue = [null, Number.NEGATIVE_INFINITY];
/** The members of an account or a contact that traits can set, by name: `name`, `email`, `attributes.plan`. */
export type TimedMembers = Readonly<Record<string, TimedValue>>;
/** When members were set, by name. */
export type MemberTimes = Readonly<Record<string, number>>;

export type TimedRow = {
  name: string;
  email?: string | null;
  attributes: string;
  memberTimes: string | null;
  createdAt: number;
};

/** The assignment of the input `memberTimes`, without effect while the organization has traits off. */
export function setMemberTimes(column: Column) {
  const hasTraits = existsIn({ from: organizationSettings, where: eq(organizationSettings.traits, sql`1`) });
  return sql`case when ${hasTraits} then ${input("memberTimes")} else ${column} end`;
}

/** Whether a value replaces another one of the same member: it was set later, or at the same time and its JSON text is greater. */
export function isNewer([value, time]: TimedValue, [oldValue, oldTime]: TimedValue): boolean {
  return time > oldTime || (time === oldTime && JSON.stringify(value) > JSON.stringify(oldValue));
}

/** The members that replace the values that `stored` returns. */
export function newerMembers(members: TimedMembers, stored: (name: string) => TimedValue): TimedMembers {
  return Object.fromEntries(Object.entries(members).filter(([name, value]) => isNewer(value, stored(name))));
}

/**
 * Returns a function that reads a member of a row. A member whose time is not stored is as old as the row, unless it was
 * never set: it has no value, or is a name that is the address.
 */
export function timedMembersOf(row: TimedRow): (name: string) => TimedValue {
  const attributes = parseAttributes(row.attributes);
  const times = parseMemberTimes(row.memberTimes);
  const readValue = (name: string) => {
    if (name === "name" || name === "email") return row[name] ?? null;
    return attributes[name.slice(attributePrefix.length)] ?? null;
  };
  return (name) => {
    const value = readValue(name);
    const isUnset = value === null || (name === "name" && value === row.email);
    return [value, times[name] ?? (isUnset ? UNSET[1] : row.createdAt)];
  };
}

export function timesOf(members: TimedMembers): MemberTimes {
  return Object.fromEntries(Object.entries(members).map(([name, [, time]]) => [name, time]));
}

/**
 * The stored text with further times; the same without any. Of members that the row does not have, such as removed
 * attributes, the newest times stay.
 */
export function addMemberTimes(stored: string | null, times: MemberTimes, attributes: string): string | null {
  if (Object.keys(times).length === 0) return stored;
  const all = Object.entries({ ...parseMemberTimes(stored), ...times });
  const timed = all.filter(([name]) => name.startsWith(attributePrefix));
  if (timed.length <= maxAttributes) return JSON.stringify(Object.fromEntries(all));
  const present = new Set(Object.keys(parseAttributes(attributes)).map((name) => attributePrefix + name));
  const absent = timed.filter(([name]) => !present.has(name));
  const dropped = absent.toSorted(([, a], [, b]) => b - a).slice(maxAttributes);
  const droppedNames = new Set(dropped.map(([name]) => name));
  return JSON.stringify(Object.fromEntries(all.filter(([name]) => !droppedNames.has(name))));
}

/** The members that differ between two rows, with the time of the change. */
export function differingTimes(before: TimedRow, after: TimedRow, time: number): MemberTimes {
  const names: string[] = (["name", "email"] as const).filter((name) => before[name] !== after[name]);
  if (before.attributes !== after.attributes)
    for (const name of Object.keys(differingAttributes(before.attributes, after.attributes).after))
      names.push(attributePrefix + name);
  return Object.fromEntries(names.map((name) => [name, time]));
}

function parseMemberTimes(stored: string | null): MemberTimes {
  // Safe: `addMemberTimes` made the text.
  return stored === null ? {} : (parseStoredJson(stored) as MemberTimes);
}
