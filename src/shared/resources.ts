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
  about: string;
  fields: ResourceFields;
  /** The fields of a row within its account. */
  embedded?: readonly string[];
};

/** The resources by their names in paths. All but accounts are sub-resources: their rows belong to accounts. */
export const resources = {
  accounts: {
    noun: "account",
    title: "Account",
    about: "Customer accounts of the organization",
    fields: accountFields,
  },
  contacts: {
    noun: "contact",
    title: "Contact",
    about: "People at accounts",
    fields: contactFields,
    embedded: embeddedContactFields,
  },
  meetings: {
    noun: "meeting",
    title: "Meeting",
    about: "Meetings with accounts",
    fields: meetingFields,
    embedded: embeddedMeetingFields,
  },
  requests: {
    noun: "request",
    title: "Request",
    about: "Feature requests of accounts",
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

export function resourceOf(name: ResourceName): SharedResource {
  return resources[name];
}

/** What the rows of a file can be. Days of usage are no resource: an event is no row that callers change. */
export type FileRows = ResourceName | "usage-days";
export const fileRows: readonly FileRows[] = [...resourceNames, "usage-days"];

export function fieldsOf(rows: FileRows): ResourceFields {
  return rows === "usage-days" ? usageDayFields : resources[rows].fields;
}
