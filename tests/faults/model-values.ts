import fc from "fast-check";
import type { Body } from "./model-rows.ts";

/** Few values of each kind, so that requests use the same rows. Some letters are folded by Unicode only. */
const names = ["Acme", "acme", "Éclair", "éCLAIR", "Straße", "STRASSE", "100%_"];
export const externalIds = ["a", "b", "A", "É x/y", "50%"];
export const emails = ["Ada@x.io", "ada@X.io", "éva@x.io"];
export const minute = 60_000;
export const day = 1_440 * minute;

/** A timestamp relative to the time at which it is sent. */
export function timestamps(...offsets: number[]): string[] {
  return offsets.map((offset) => `now${offset < 0 ? "-" : "+"}${Math.abs(offset)}`);
}

export const name = fc.constantFrom(...names);
/** An external id, or none. */
export const text = fc.constantFrom(...externalIds, "");
export const mrr = fc.constantFrom(0, 10.5, 1000, -3);
const past = timestamps(0, -1, -day, -9 * day);
export const accountStatuses = ["active", "onboarding", "churned"];
export const requestStatuses = ["Open", "Planned", "Started", "Done", "Declined"];
/** The name `mixed` gets values of two types. */
const attributes = fc.constantFrom(
  ...[{ plan: "pro" }, { plan: "free", seats: 5 }, { plan: null, trial: true }, { seats: 10.5, plan: "pro" }],
  ...[{ trial: false, seats: null }, { mixed: "x" }, { mixed: 7 }, { mixed: null }, {}],
);
export const shared = {
  contacts: { name, email: fc.constantFrom(...emails, null), attributes },
  meetings: {
    title: name,
    startAt: fc.constantFrom(...timestamps(0, -day, day)),
    endAt: fc.constantFrom(...timestamps(0, day)),
  },
  requests: {
    title: name,
    status: fc.constantFrom(...requestStatuses),
    severity: fc.constantFrom(1, 2, 3, 4, 5),
    requestedAt: fc.constantFrom(...past, ...timestamps(minute), "2026-01-01"),
  },
} as const;
export const changesOfAccount = {
  name,
  mrr,
  status: fc.constantFrom(...accountStatuses, "inactive"),
  logoUrl: fc.constantFrom("https://x.io/a.png", null),
  attributes,
  contactActivityAt: fc.constantFrom(...past, null),
};
export const newAccount = {
  name,
  externalId: text,
  mrr,
  status: fc.constantFrom(...accountStatuses),
  attributes,
  ...{ contactName: name, contactEmail: fc.constantFrom(...emails) },
};

/** An object with some of the members, and all of the required ones. */
export function body(
  members: Record<string, fc.Arbitrary<unknown>>,
  ...needed: string[]
): fc.Arbitrary<Body> {
  return fc.record(members, { requiredKeys: needed }) as fc.Arbitrary<Body>;
}
