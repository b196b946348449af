import { accountStatuses, requestStatuses } from "../../db/schema.ts";
import type { FileResource } from "../core/file-resources.ts";

/** The members of a row of each resource, and the types of their values. */
export const importedMembers: Record<FileResource, Readonly<Record<string, "string" | "number">>> = {
  accounts: {
    externalId: "string",
    name: "string",
    mrr: "number",
    status: "string",
    logoUrl: "string",
    contactActivityAt: "string",
  },
  contacts: {
    externalId: "string",
    accountExternalId: "string",
    accountId: "number",
    name: "string",
    email: "string",
  },
  meetings: {
    externalId: "string",
    accountExternalId: "string",
    accountId: "number",
    title: "string",
    startAt: "string",
    endAt: "string",
  },
  requests: {
    externalId: "string",
    accountExternalId: "string",
    accountId: "number",
    title: "string",
    status: "string",
    severity: "number",
    requestedAt: "string",
    resolvedAt: "string",
  },
};

/** The members whose values are a fixed list. */
export const importedChoices: Record<FileResource, Readonly<Record<string, readonly string[]>>> = {
  accounts: { status: accountStatuses },
  contacts: {},
  meetings: {},
  requests: { status: requestStatuses },
};
