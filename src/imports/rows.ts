/** The resources whose rows can be imported. */
export const importedResources = ["accounts", "contacts", "meetings", "requests"] as const;
export type ImportedResource = (typeof importedResources)[number];

/** The members of a row of each resource, and whether their values are numbers. */
export const importedMembers: Record<ImportedResource, Readonly<Record<string, "text" | "number">>> = {
  accounts: {
    externalId: "text",
    name: "text",
    mrr: "number",
    status: "text",
    logoUrl: "text",
    contactActivityAt: "text",
  },
  contacts: {
    externalId: "text",
    accountExternalId: "text",
    accountId: "number",
    name: "text",
    email: "text",
  },
  meetings: {
    externalId: "text",
    accountExternalId: "text",
    accountId: "number",
    title: "text",
    startAt: "text",
    endAt: "text",
  },
  requests: {
    externalId: "text",
    accountExternalId: "text",
    accountId: "number",
    title: "text",
    status: "text",
    severity: "number",
    requestedAt: "text",
  },
};

/** What became of a row. */
export type ImportResult =
  | { result: "created" | "updated" | "unchanged" }
  | { result: "refused"; reason: string };
