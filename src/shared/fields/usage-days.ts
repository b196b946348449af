import type { ResourceFields } from "./field.ts";

/** The columns of a file of usage days: events of one name of an account on a UTC day, and the number of their users. */
export const usageDayFields = {
  externalId: {
    kind: "text",
    synonyms: ["accountexternalid", "accountid", "customerid", "companyid"],
    input: {},
  },
  event: { kind: "text", synonyms: ["eventname", "name"], input: {} },
  day: { kind: "timestamp", synonyms: ["date"], input: {} },
  count: { kind: "integer", synonyms: ["events", "total"], input: {} },
  users: { kind: "integer", synonyms: ["uniqueusers", "uniques"], input: {} },
} as const satisfies ResourceFields;
