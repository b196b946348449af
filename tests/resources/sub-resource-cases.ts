import type { Body } from "../support/world.ts";
import { beginningText } from "../support/world.ts";

/** The millisecond one second after the beginning of a world. */
export const laterText = "2026-01-02T03:04:06.678Z";

/** The members of a sub-resource, for the tests of the rules that all sub-resources share. */
export type SubResourceCase = {
  noun: string;
  plural: string;
  /** The name of its main text. */
  label: string;
  /** The members that a new row requires. */
  required: Body;
  /** Its other members that a client can write, except externalId, with a value other than the default. */
  optional: Body;
  /** What a new row has without them. */
  defaults: Body;
  /** Members that only the service writes. */
  computed: Body;
  /** Another value of each member that a client can write, and what the service computes then. */
  changed: Body;
  computedChanged: Body;
  /** The members that can be null. */
  nullable: readonly string[];
};

export const subResourceCases: readonly SubResourceCase[] = [
  {
    ...{ noun: "contact", plural: "contacts", label: "name" },
    required: { name: "Ada" },
    optional: { email: "Ada@x.io", userId: "u1" },
    defaults: { email: null, userId: null },
    computed: { lastSeenAt: null, attributes: {} },
    changed: { name: "Ada Lovelace", email: "lovelace@x.io", userId: "u2" },
    computedChanged: {},
    nullable: ["email", "userId"],
  },
  {
    ...{ noun: "meeting", plural: "meetings", label: "title" },
    required: { title: "Review", startAt: "2026-01-05T10:00:00.000Z", endAt: "2026-01-05T11:00:00.000Z" },
    ...{ optional: {}, defaults: {}, computed: {} },
    changed: { title: "Kick-off", startAt: "2026-01-05T10:30:00.000Z", endAt: "2026-01-05T12:00:00.000Z" },
    computedChanged: {},
    nullable: [],
  },
  {
    ...{ noun: "request", plural: "requests", label: "title" },
    required: { title: "SSO" },
    optional: { status: "Planned", severity: 4, requestedAt: "2026-01-01T10:00:00.000Z" },
    defaults: { status: "Open", severity: 3, requestedAt: beginningText },
    computed: { resolvedAt: null },
    changed: { title: "Export", status: "Done", severity: 1, requestedAt: "2025-01-01T00:00:00.000Z" },
    computedChanged: { resolvedAt: laterText },
    nullable: [],
  },
];

/** Members that every write ignores. */
export const ignored = { id: 77, organizationId: 2, createdAt: "x", updatedAt: null, extra: { a: [1] } };
