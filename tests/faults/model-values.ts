import fc from "fast-check";
import type { Body } from "./model-rows.ts";

/** Few values of each kind, so that requests use the same rows. Some letters are folded by Unicode only. */
const names = ["Acme", "acme", "Éclair", "éCLAIR", "Straße", "STRASSE", "100%_"];
export const externalIds = ["a", "b", "A", "É x/y", "50%"];
export const emails = ["Ada@x.io", "ada@X.io", "éva@x.io"];
const badTexts = ["", "  ", 5, null, "x".repeat(256)];
export const minute = 60_000;
export const day = 1_440 * minute;

/** Usually a valid value, sometimes an invalid one. */
export function mostly(good: readonly unknown[], bad: readonly unknown[]): fc.Arbitrary<unknown> {
  const value = { weight: 30, arbitrary: fc.constantFrom(...good) };
  return fc.oneof(value, { weight: 1, arbitrary: fc.constantFrom(...bad) });
}

/** A timestamp relative to the time at which it is sent. */
export function timestamps(...offsets: number[]): string[] {
  return offsets.map((offset) => `now${offset < 0 ? "-" : "+"}${Math.abs(offset)}`);
}

export const name = mostly(names, badTexts);
export const text = (bad: unknown[]) => mostly([...externalIds, ""], [...bad, 5, "x".repeat(256)]);
export const mrr = mostly([0, 10.5, 1000, -3], ["1", null]);
const past = timestamps(0, -1, -day, -9 * day);
const timestamp = mostly([...past, "2026-01-01"], [...timestamps(minute, day), "soon", 5, "2026-99-99"]);
const email = mostly([...emails, null], ["", "nobody", 5]);
const statuses = (words: string[]) => mostly(words, ["open", "", 5]);
export const accountStatuses = ["active", "onboarding", "churned"];
export const requestStatuses = ["Open", "Planned", "Started", "Done", "Declined"];
/** The name `mixed` gets values of two types. */
export const attributes = mostly(
  [
    ...[
      { plan: "pro" },
      { plan: "free", seats: 5 },
      { plan: null, trial: true },
      { seats: 10.5, plan: "pro" },
    ],
    ...[{ trial: false, seats: null }, { mixed: "x" }, { mixed: 7 }, { mixed: null }, {}],
  ],
  [5, [], null, { "9": 1 }, { plan: {} }],
);
export const shared = {
  contacts: { name, email, attributes },
  meetings: {
    title: name,
    startAt: mostly(timestamps(0, -day, day), ["soon", 5]),
    endAt: mostly(timestamps(0, day), ["", 5]),
  },
  requests: {
    title: name,
    status: statuses(requestStatuses),
    severity: mostly([1, 2, 3, 4, 5], [0, 6, 1.5, "3"]),
    requestedAt: timestamp,
  },
} as const;
export const changesOfAccount = {
  name,
  mrr,
  status: statuses([...accountStatuses, "inactive"]),
  logoUrl: mostly(["https://x.io/a.png", null], ["", "x.io", 5]),
  attributes,
  contactActivityAt: mostly([...past, null], [...timestamps(day), "soon", 5]),
};
const contact = { contactName: name, contactEmail: mostly(emails, ["", "nobody", 5, null]) };
export const newAccount = {
  name,
  externalId: text([null]),
  mrr,
  status: statuses(accountStatuses),
  attributes,
  ...contact,
};

/** An object with some of the members; required ones are rarely missing. */
export function body(
  members: Record<string, fc.Arbitrary<unknown>>,
  ...needed: string[]
): fc.Arbitrary<Body> {
  const whole = { weight: 20, arbitrary: fc.record(members, { requiredKeys: needed }) };
  return fc.oneof(whole, {
    weight: 1,
    arbitrary: fc.record(members, { requiredKeys: [] }),
  }) as fc.Arbitrary<Body>;
}
