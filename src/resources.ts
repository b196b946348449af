import type { SQL } from "drizzle-orm";
import type { Column } from "../db/expressions.ts";
import { contacts, featureRequests, meetings } from "../db/schema.ts";
import { contactList, contactStore, embeddedContacts } from "./contacts/store.ts";
import type { List } from "./core/lists/list.ts";
import type { SubResourceStore } from "./core/resource/sub-resource.ts";
import type { TenantTable } from "./core/tenant/statements.ts";
import {
  embeddedFeatureRequests,
  featureRequestList,
  featureRequestStore,
} from "./feature-requests/store.ts";
import { embeddedMeetings, meetingList, meetingStore } from "./meetings/store.ts";
import { type SubResourceName, subResourceNames } from "./shared/resources.ts";

export type SubResourceRow = { id: number; accountId: number; externalId: string | null; version: number };

/** What features that work on all sub-resources use of one, for any input. */
export type SubResource = {
  table: TenantTable & { id: Column; accountId: Column };
  store: SubResourceStore<SubResourceRow>;
  list: List<SubResourceRow, string>;
  /** The rows that an account embeds, as JSON text. */
  embedded: SQL<string>;
};

/** Every sub-resource of accounts: accounts, batches, files, deletions and the console's lists read this table. */
export const subResources = {
  contacts: { table: contacts, store: contactStore, list: contactList, embedded: embeddedContacts },
  meetings: { table: meetings, store: meetingStore, list: meetingList, embedded: embeddedMeetings },
  requests: {
    table: featureRequests,
    store: featureRequestStore,
    list: featureRequestList,
    embedded: embeddedFeatureRequests,
  },
} as const satisfies Record<SubResourceName, SubResource>;

/** What `read` returns for each sub-resource. */
export function ofSubResources<T>(
  read: (name: SubResourceName, resource: SubResource) => T,
): Record<SubResourceName, T> {
  const entries = subResourceNames.map((name) => [name, read(name, subResources[name])]);
  return Object.fromEntries(entries) as Record<SubResourceName, T>;
}
