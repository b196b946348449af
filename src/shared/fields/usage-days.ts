import type { ResourceFields } from "./field.ts";

/** The columns of a file of usage days: events of one name of an account on a UTC day, and the number of their users. */
export const usageDayFields = {
  externalId: {
    kind: "text",
    synonyms: ["accountexternalid", "accountid", "customerid", "companyid", "organizationid"],
    input: {},
  },
  event: { kind: "text", synonyms: ["eventname", "eventtype", "name"], input: {} },
  day: { kind: "timestamp", synonyms: ["date", "eventdate"], input: {} },
  count: { kind: "integer", synonyms: ["events", "total", "eventcount"], input: {} },
  users: { kind: "integer", synonyms: ["uniqueusers", "uniques", "usercount"], input: {} },
} as const satisfies ResourceFields;
