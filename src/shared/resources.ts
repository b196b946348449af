import { accountFields } from "./fields/accounts.ts";
import { contactFields, embeddedContactFields } from "./fields/contacts.ts";
import type { ResourceFields } from "./fields/field.ts";
import { embeddedMeetingFields, meetingFields } from "./fields/meetings.ts";
import { embeddedRequestFields, requestFields } from "./fields/requests.ts";
import { usageDayFields } from "./fields/usage-days.ts";

export type SharedResource = {
  /** In the singular, and as the beginning of the names of its schemas and operations. */
  noun: string;
  title: string;
  /** In the plural. */
  titles: string;
  about: string;
  fields: ResourceFields;
  /** Between a row and its account, as in "a meeting with Acme". */
  preposition?: "at" | "of" | "with";
  /** The fields of a row within its account. */
  embedded?: readonly string[];
};

/** The resources by their names in paths. All but accounts are sub-resources: their rows belong to accounts. */
export const resources = {
  accounts: {
    noun: "account",
    title: "Account",
    titles: "Accounts",
    about: "Customer accounts of the organization",
    fields: accountFields,
  },
  contacts: {
    noun: "contact",
    title: "Contact",
    titles: "Contacts",
    about: "People at accounts",
    preposition: "at",
    fields: contactFields,
    embedded: embeddedContactFields,
  },
  meetings: {
    noun: "meeting",
    title: "Meeting",
    titles: "Meetings",
    about: "Meetings with accounts",
    preposition: "with",
    fields: meetingFields,
    embedded: embeddedMeetingFields,
  },
  requests: {
    noun: "request",
    title: "Request",
    titles: "Requests",
    about: "Feature requests of accounts",
    preposition: "of",
    fields: requestFields,
    embedded: embeddedRequestFields,
  },
} as const satisfies Record<string, SharedResource>;

export type ResourceName = keyof typeof resources;
export type SubResourceName = Exclude<ResourceName, "accounts">;
export type ResourceType = (typeof resources)[ResourceName]["noun"];
// Safe: the keys and the nouns of the table.
export const resourceNames = Object.keys(resources) as ResourceName[];
export const resourceTypes = Object.values(resources).map(({ noun }) => noun) as ResourceType[];
export const subResourceNames = resourceNames.filter((name) => name !== "accounts");
/** In sentences: "contacts, meetings and requests", and with "or". */
export const subResourceList = new Intl.ListFormat("en-GB").format(subResourceNames);
export const subResourceChoice = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
  subResourceNames,
);

export function resourceOf(name: ResourceName): SharedResource {
  return resources[name];
}

export function ofResourceTypes<T>(read: (resource: SharedResource) => T): Record<ResourceType, T> {
  const entries = Object.values(resources).map((resource) => [resource.noun, read(resource)]);
  // Safe: an entry for each resource.
  return Object.fromEntries(entries) as Record<ResourceType, T>;
}

/** What the rows of a file can be. Days of usage are no resource: an event is no row that callers change. */
export type FileRows = ResourceName | "usage-days";
export const fileRows: readonly FileRows[] = [...resourceNames, "usage-days"];
/** The rows whose files have routes of the operator. The files of accounts have routes of the API. */
export const operatorFileRows = fileRows.filter((rows) => rows !== "accounts");

export function fieldsOf(rows: FileRows): ResourceFields {
  return rows === "usage-days" ? usageDayFields : resources[rows].fields;
}
