import { requestStatuses, resolvedStatuses } from "../../../../shared/fields/requests.ts";
import {
  fieldsOf,
  type ResourceName,
  resources,
  type SubResourceName,
} from "../../../../shared/resources.ts";
import { api } from "../../api.ts";
import type { EditableResource } from "../../editing/edit-dialog.tsx";
import { initialOf, inputsOf } from "../../editing/form-values.ts";
import { bodyOf, membersOf, type RowMembers } from "../../editing/members.ts";
import { account as accountTexts, fields as fieldTexts } from "../../messages/messages.ts";

/** The paths of all resources have these forms: the client has the types of one. */
type RowPath = "/api/v1/accounts/{accountId}";
type ListPath = "/api/v1/accounts/{accountId}/contacts";

const pathOfRow = (resource: ResourceName, id: number) => `/api/v1/${resource}/${id}` as RowPath;

/** Rows of a sub-resource as lists and forms read them. */
export type SubResourceRow = { id: number; externalId: string | null } & RowMembers;

/** Rows of a sub-resource under a heading, with the parameters of their list at the timestamp `now`. */
export type RowGroup = {
  title: string;
  empty: string;
  query: (now: string) => Readonly<Record<string, string>>;
};

const { contacts, meetings, requests } = accountTexts.rows;
const openStatuses = requestStatuses.filter((status) => !resolvedStatuses.includes(status));
const latest = { sortBy: "requestedAt", sortOrder: "desc" };

/** What is ahead or open first. */
export const rowGroups: Readonly<Record<SubResourceName, readonly RowGroup[]>> = {
  contacts: [{ ...contacts.all, query: () => ({}) }],
  meetings: [
    {
      ...meetings.next,
      query: (now) => ({ "endAt[gte]": now, sortBy: "startAt", sortOrder: "asc" }),
    },
    {
      ...meetings.past,
      query: (now) => ({ "endAt[lt]": now, sortBy: "startAt", sortOrder: "desc" }),
    },
  ],
  requests: [
    { ...requests.open, query: () => ({ status: openStatuses.join(","), ...latest }) },
    { ...requests.closed, query: () => ({ status: resolvedStatuses.join(","), ...latest }) },
  ],
};

type RowPage = { data: SubResourceRow[]; pagination: object };

export async function readRows(
  resource: SubResourceName,
  accountId: number,
  query: { cursor: string; pageSize: number },
  signal: AbortSignal,
): Promise<RowPage> {
  const params = { path: { accountId }, query };
  const { data } = await api.GET(`/api/v1/accounts/${accountId}/${resource}` as ListPath, { params, signal });
  // Safe: rows of the resource.
  return data as unknown as RowPage;
}

/** What dialogs do with the rows of a resource. */
export function editable(resource: ResourceName): EditableResource {
  const fields = inputsOf(resource);
  return {
    noun: fieldTexts.nouns[resources[resource].noun].toLowerCase(),
    fields,
    // Safe: a sub-resource with attributes. The attributes of accounts have a dialog of their own.
    ...(resource !== "accounts" &&
      "attributes" in fieldsOf(resource) && { attributesOf: resource as "contacts" }),
    initial: initialOf(resource),
    async read(id, signal) {
      // The other resources have no such parameter.
      const query = resource === "accounts" ? { include: [...included] } : {};
      const params = { path: { accountId: id }, query };
      const { data, response } = await api.GET(pathOfRow(resource, id), {
        params,
        ...(signal && { signal }),
      });
      const { contactActivity } = data.data;
      // The reply has the time from all sources; only a time of the source `api` is a member of the account.
      const contactActivityAt = contactActivity?.source === "api" ? contactActivity.at : null;
      const names = ["attributes", ...fields.map(({ name }) => name)];
      const edited = Object.entries({ ...data.data, contactActivityAt }).filter(([name]) =>
        names.includes(name),
      );
      const etag = response.headers.get("etag") ?? "*";
      return { members: membersOf(Object.fromEntries(edited)), etag };
    },
    update: (id, changes, etag) =>
      api.PATCH(pathOfRow(resource, id), {
        params: { path: { accountId: id }, header: { "If-Match": etag } },
        body: bodyOf(changes),
      }),
    create: (accountId, members) =>
      api.POST(`/api/v1/accounts/${accountId}/${resource}` as ListPath, {
        params: { path: { accountId } },
        body: bodyOf(members),
      }),
    delete: (id) => api.DELETE(pathOfRow(resource, id), { params: { path: { accountId: id } } }),
  };
}

/** What a reply with an account has besides its fields. */
export const included = ["status", "contactActivity", "attributes"] as const;

export const accountResource = editable("accounts");

/** The attributes of an account as a dialog of their own. */
export const accountAttributes: EditableResource = {
  ...accountResource,
  fields: [],
  attributesOf: "accounts",
};
