import { constraints as accountConstraints } from "../accounts/model.ts";
import { constraints as contactConstraints } from "../contacts/model.ts";
import type { AttributeChanges, AttributeValue } from "../core/attributes.ts";
import { maxEvents, segmentReader } from "../events/input.ts";
import { groupOf, identityOf, traitsOf } from "../events/segment.ts";
import type { EventCandidate } from "../events/store.ts";
import { isAttribute } from "../http/attribute-shapes.ts";
import { isStorable, type ParsedBody, releaseBody } from "../http/body.ts";
import { type Constraints, validate } from "../http/constraints.ts";
import { asMembers, readItems, validateItems } from "../http/items.ts";
import { externalId } from "../http/shapes.ts";
import type { TraitsCall } from "./traits.ts";

/** The calls of a request: the events of all, and the traits of `group` and `identify` calls. */
export type ReceivedCalls = { candidates: EventCandidate[]; traitsCalls: TraitsCall[] };

const nameConstraints: Constraints = { type: "string", ...accountConstraints.name };
const emailConstraints: Constraints = { type: "string", minLength: 1, ...contactConstraints.email };
const idConstraints: Constraints = { type: "string", minLength: 1, ...externalId };

/** Validates the calls in `batch` one by one. Throws `invalid_request` when the body has no such list. */
export function readSegmentBatch(parsedBody: ParsedBody, now: number): Promise<ReceivedCalls> {
  const readEvent = segmentReader(parsedBody, now);
  return readCalls(readItems({ ...releaseBody(parsedBody) }, "batch", maxEvents), readEvent);
}

/** Validates the body as one call of this type. */
export function readSegmentCall(parsedBody: ParsedBody, now: number, type: string): Promise<ReceivedCalls> {
  const readEvent = segmentReader(parsedBody, now);
  return readCalls([{ ...releaseBody(parsedBody), type }], readEvent);
}

async function readCalls(
  calls: readonly unknown[],
  readEvent: (call: unknown) => EventCandidate,
): Promise<ReceivedCalls> {
  const traitsCalls: TraitsCall[] = [];
  const candidates = await validateItems(calls, (call) => {
    const traitsCall = readTraits(asMembers(call) ?? {});
    if (traitsCall) traitsCalls.push(traitsCall);
    return readEvent(call);
  });
  return { candidates, traitsCalls };
}

/** The valid traits of a `group` or `identify` call. Undefined for another call, and without any valid trait. */
function readTraits(call: Record<string, unknown>): TraitsCall | undefined {
  const traits = asMembers(traitsOf(call));
  if (!traits || (call.type !== "group" && call.type !== "identify")) return undefined;
  const groupId = validText(idConstraints, groupOf(call));
  const { name: fullName, firstName, lastName, email: address, ...others } = traits;
  if (call.type === "group") {
    const name = validText(nameConstraints, fullName);
    const attributes = validAttributes({ ...others, firstName, lastName, email: address });
    if (groupId === undefined || (name ?? attributes) === undefined) return undefined;
    return { type: "group", groupId, name, attributes };
  }
  const userId = validText(idConstraints, identityOf(call.userId));
  const name = validText(nameConstraints, fullName ?? joinNames(firstName, lastName));
  const email = validText(emailConstraints, address);
  const attributes = validAttributes(others);
  const hasNothing = (userId ?? email) === undefined || (name ?? email ?? attributes) === undefined;
  return hasNothing ? undefined : { type: "identify", groupId, userId, name, email, attributes };
}

/** The traits that can be attributes; undefined without one. */
function validAttributes(traits: Record<string, unknown>): AttributeChanges | undefined {
  const valid = Object.entries(traits).filter(
    (entry): entry is [string, AttributeValue | null] =>
      isAttribute(...entry) && (typeof entry[1] !== "string" || isStorable(entry[1])),
  );
  return valid.length > 0 ? Object.fromEntries(valid) : undefined;
}

function joinNames(...names: unknown[]): string | undefined {
  const parts = names.filter((part) => typeof part === "string" && part !== "");
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function validText(constraints: Constraints, value: unknown): string | undefined {
  const isValid = typeof value === "string" && !validate(constraints, value) && isStorable(value);
  return isValid ? value : undefined;
}
