import { type ResourceName, resourceOf, type SubResourceName } from "../../../../shared/resources.ts";
import { api } from "../../api.ts";
import { hasAttributes, initialOf, inputsOf } from "../../editing/inputs.ts";
import { bodyOf, type EditableRow, membersOf, type RowMembers } from "../../editing/members.ts";
import type { EditableResource, SubResource } from "../../editing/resource.ts";

/** The paths of all resources have these forms: the client has the types of one. */
type RowPath = "/api/v1/accounts/{accountId}";
type ListPath = "/api/v1/accounts/{accountId}/contacts";

const pathOfRow = (resource: ResourceName, id: number) => `/api/v1/${resource}/${id}` as RowPath;

/** Rows of a sub-resource as lists and forms read them. */
export type SubResourceRow = { id: number; externalId: string | null } & RowMembers;

/** A page of an account's rows. */
export async function readRows(
  resource: SubResourceName,
  accountId: number,
  page: { cursor: string; pageSize: number },
  signal: AbortSignal,
): Promise<{ data: SubResourceRow[]; pagination: object }> {
  const { latestBy } = resourceOf(resource);
  const query = { ...page, ...(latestBy !== undefined && { sortBy: latestBy, sortOrder: "desc" as const }) };
  const { data } = await api.GET(`/api/v1/accounts/${accountId}/${resource}` as ListPath, {
    // Safe: the resource's list has this order.
    params: { path: { accountId }, query: query as typeof page },
    signal,
  });
  // Safe: rows of the resource.
  return data as unknown as { data: SubResourceRow[]; pagination: object };
}

function editableOf(resource: ResourceName, read: EditableResource["read"]): EditableResource {
  return {
    noun: resourceOf(resource).noun,
    fields: inputsOf(resource),
    read,
    update: (id, changes, etag) =>
      api.PATCH(pathOfRow(resource, id), {
        params: { path: { accountId: id }, header: { "If-Match": etag } },
        body: bodyOf(changes),
      }),
  };
}

/** The members of a row that a form edits, and the version of the reply. */
function storedOf(resource: ResourceName, row: object, { headers }: Response): EditableRow {
  const names = ["attributes", ...inputsOf(resource).map(({ name }) => name)];
  const edited = Object.entries(row).filter(([name]) => names.includes(name));
  return { members: membersOf(Object.fromEntries(edited)), etag: headers.get("etag") ?? "*" };
}

export function subResourceOf(resource: SubResourceName): SubResource {
  const read = async (id: number, signal?: AbortSignal) => {
    const params = { path: { accountId: id } };
    const { data, response } = await api.GET(pathOfRow(resource, id), { params, ...(signal && { signal }) });
    return storedOf(resource, data.data, response);
  };
  return {
    ...editableOf(resource, read),
    // Safe: a resource with attributes.
    ...(hasAttributes(resource) && { attributesOf: resource as "contacts" }),
    initial: initialOf(resource),
    create: (accountId, members) =>
      api.POST(`/api/v1/accounts/${accountId}/${resource}` as ListPath, {
        params: { path: { accountId } },
        body: bodyOf(members),
      }),
    delete: (id) => deleteRow(resource, id),
  };
}

async function readAccount(accountId: number, signal?: AbortSignal): Promise<EditableRow> {
  const { data, response } = await api.GET("/api/v1/accounts/{accountId}", {
    params: { path: { accountId }, query: { include: ["status", "contactActivity", "attributes"] } },
    ...(signal && { signal }),
  });
  const { contactActivity } = data.data;
  // The reply has the time from all sources; only that of the source `api` is a member of the account.
  const contactActivityAt = contactActivity?.source === "api" ? contactActivity.at : null;
  return storedOf("accounts", { ...data.data, contactActivityAt }, response);
}

export const accountResource: EditableResource = editableOf("accounts", readAccount);

/** The attributes of an account as a dialog of their own. */
export const accountAttributes: EditableResource = {
  ...accountResource,
  fields: [],
  attributesOf: "accounts",
};

export function deleteRow(resource: ResourceName, id: number): Promise<unknown> {
  return api.DELETE(pathOfRow(resource, id), { params: { path: { accountId: id } } });
}
