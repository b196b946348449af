import { type AttributeValue, attributePrefix } from "../core/attributes/attributes.ts";
import type { TimedMembers } from "../core/resource/member-times.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { segmentReader } from "../events/input.ts";
import {
  type CallTime,
  clockCorrection,
  groupOf,
  timestampOf,
  traitsOf,
  userIdOf,
} from "../events/segment.ts";
import type { EventCandidate } from "../events/store.ts";
import { isStorable, type ParsedBody, releaseBody } from "../http/body/body.ts";
import { inputConstraints } from "../http/resource/field-shapes.ts";
import { isAttribute } from "../http/validation/attribute-shapes.ts";
import { type Constraints, validate } from "../http/validation/constraints.ts";
import { asMembers, readItems, validateItems } from "../http/validation/items.ts";
import { accountFields } from "../shared/fields/accounts.ts";
import { contactFields } from "../shared/fields/contacts.ts";
import type { TraitsCall } from "./calls.ts";

/** The calls of a request: the events of all, and the traits of `group` and `identify` calls. */
export type ReceivedCalls = { candidates: EventCandidate[]; traitsCalls: TraitsCall[] };

const nameConstraints: Constraints = { type: "string", ...inputConstraints(accountFields.name) };
const emailConstraints: Constraints = {
  type: "string",
  minLength: 1,
  ...inputConstraints(contactFields.email),
};
const idConstraints: Constraints = {
  type: "string",
  minLength: 1,
  ...inputConstraints(accountFields.externalId),
};

/** Validates the calls in `batch` one by one. Throws `invalid_request` when the body has no such list. */
export function readSegmentBatch(parsedBody: ParsedBody, now: number): Promise<ReceivedCalls> {
  const readEvent = segmentReader(parsedBody, now);
  const body: Record<string, unknown> = { ...releaseBody(parsedBody) };
  return readCalls(readItems(body, "batch"), readEvent, clockCorrection(body.sentAt, now), now);
}

export function readSegmentCall(parsedBody: ParsedBody, now: number, type: string): Promise<ReceivedCalls> {
  const readEvent = segmentReader(parsedBody, now);
  const call = { ...releaseBody(parsedBody), type };
  return readCalls([call], readEvent, clockCorrection(undefined, now), now);
}

async function readCalls(
  calls: readonly unknown[],
  readEvent: (call: unknown) => EventCandidate,
  timeOf: CallTime,
  now: number,
): Promise<ReceivedCalls> {
  const traitsCalls: TraitsCall[] = [];
  const candidates = await validateItems(calls, (call, index) => {
    const members = asMembers(call) ?? {};
    const traits = readTraits(members);
    if (!traits) return readEvent(call);
    const text = timestampOf(members);
    const stated = typeof text === "string" ? parseTimestamp(text) : undefined;
    if (text !== undefined && stated === undefined) return invalidTimestamp;
    const { values, ...keys } = traits;
    const time = stated === undefined ? now : timeOf(stated, members);
    traitsCalls.push({ ...keys, index, time, members: withTime(values, time) });
    return "ignored";
  });
  return { candidates, traitsCalls };
}

const invalidTimestamp: EventCandidate = {
  code: "invalid_timestamp",
  detail: "timestamp must be an ISO 8601 timestamp",
};

type CallTraits = Omit<TraitsCall, "index" | "time" | "members"> & {
  values: Record<string, AttributeValue | null | undefined>;
};

/**
 * The valid traits of a `group` or `identify` call. Undefined for another call, for one without a group or a person, and
 * for one without a valid trait, unless it is a `group` call of a user.
 */
function readTraits(call: Record<string, unknown>): CallTraits | undefined {
  const { type } = call;
  if (type !== "group" && type !== "identify") return undefined;
  const { name: fullName, firstName, lastName, email: address, ...others } = asMembers(traitsOf(call)) ?? {};
  const keys = {
    groupId: validText(idConstraints, groupOf(call)),
    userId: validText(idConstraints, userIdOf(call.userId)),
    messageId: validText(idConstraints, call.messageId) ?? null,
  };
  const isGroup = type === "group";
  const values = {
    name: validText(nameConstraints, isGroup ? fullName : (fullName ?? joinNames(firstName, lastName))),
    email: isGroup ? undefined : validText(emailConstraints, address),
    ...validAttributes(isGroup ? { ...others, firstName, lastName, email: address } : others),
  };
  const hasSubject = isGroup ? keys.groupId !== undefined : (keys.userId ?? values.email) !== undefined;
  const hasTraits = Object.values(values).some((value) => value !== undefined);
  const isMembership = isGroup && keys.userId !== undefined;
  return hasSubject && (hasTraits || isMembership) ? { type, ...keys, values } : undefined;
}

function withTime(values: CallTraits["values"], time: number): TimedMembers {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, [value, time]]])),
  );
}

/** The traits that can be attributes, by the names of their members. */
function validAttributes(traits: Record<string, unknown>): Record<string, AttributeValue | null> {
  return Object.fromEntries(
    Object.entries(traits).flatMap(([name, value]) =>
      isAttribute(name, value) && (typeof value !== "string" || isStorable(value))
        ? // Safe: the value of an attribute.
          [[attributePrefix + name, value as AttributeValue | null]]
        : [],
    ),
  );
}

function joinNames(...names: unknown[]): string | undefined {
  const parts = names.filter((part) => typeof part === "string" && part !== "");
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function validText(constraints: Constraints, value: unknown): string | undefined {
  const isValid = typeof value === "string" && !validate(constraints, value) && isStorable(value);
  return isValid ? value : undefined;
}
