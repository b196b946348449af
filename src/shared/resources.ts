import { accountFields } from "./fields/accounts.ts";
import { contactFields } from "./fields/contacts.ts";
import type { ResourceFields } from "./fields/field.ts";
import { meetingFields } from "./fields/meetings.ts";
import { requestFields } from "./fields/requests.ts";

/** The resources by their names in paths. All but accounts are sub-resources: their rows belong to accounts. */
export const resources = {
  accounts: { noun: "account", fields: accountFields },
  contacts: { noun: "contact", fields: contactFields },
  meetings: { noun: "meeting", fields: meetingFields },
  requests: { noun: "request", fields: requestFields },
} as const satisfies Record<string, { noun: string; fields: ResourceFields }>;

export type ResourceName = keyof typeof resources;
export type ResourceType = (typeof resources)[ResourceName]["noun"];
// Safe: the keys and the nouns of the table.
export const resourceNames = Object.keys(resources) as ResourceName[];
export const resourceTypes = Object.values(resources).map(({ noun }) => noun) as ResourceType[];

export function fieldsOf(resource: ResourceName): ResourceFields {
  return resources[resource].fields;
}
