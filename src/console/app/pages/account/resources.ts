import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { api } from "../../api.ts";
import type { Field } from "../../editing/form-values.ts";
import { bodyOf, type EditableRow, membersOf, type RowMembers } from "../../editing/members.ts";
import type { EditableResource, SubResource } from "../../editing/resource.ts";
import { statuses, statusNames } from "../../statuses.ts";

type Schemas = components["schemas"];

const externalId: Field = { name: "externalId", kind: "text" };

/** The version of a reply, with `row` as its members. */
function storedOf(row: object, { headers }: Response): EditableRow {
  return { members: membersOf(row), etag: headers.get("etag") ?? "*" };
}

function pick<T extends object, K extends keyof T>(row: T, names: readonly K[]): Pick<T, K> {
  // Safe: the entries are those of the names.
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<T, K>;
}

async function readAccount(accountId: number, signal?: AbortSignal): Promise<EditableRow> {
  const { data, response } = await api.GET("/api/v1/accounts/{accountId}", {
    params: { path: { accountId }, query: { include: ["status", "contactActivity", "attributes"] } },
    ...(signal && { signal }),
  });
  const { contactActivity } = data.data;
  // The reply has the time from all sources; only that of the source `api` is a member of the account.
  const contactActivityAt = contactActivity?.source === "api" ? contactActivity.at : null;
  const row = pick(data.data, ["name", "status", "mrr", "externalId", "logoUrl", "attributes"]);
  return storedOf({ ...row, contactActivityAt }, response);
}

function updateAccount(accountId: number, changes: RowMembers, etag: string): Promise<unknown> {
  return api.PATCH("/api/v1/accounts/{accountId}", {
    params: { path: { accountId }, header: { "If-Match": etag } },
    body: bodyOf<Schemas["AccountChanges"]>(changes),
  });
}

export const accountResource: EditableResource = {
  noun: "account",
  fields: [
    { name: "name", kind: "text", isRequired: true },
    {
      name: "status",
      kind: "choice",
      options: statuses.map((status) => [status, statusNames[status]] as const),
    },
    { name: "mrr", kind: "number", isRequired: true },
    externalId,
    { name: "logoUrl", kind: "url" },
    {
      name: "contactActivityAt",
      kind: "time",
      hint: "If set, it has priority over all other sources.",
    },
  ],
  read: readAccount,
  update: updateAccount,
};

/** The attributes of an account as a dialog of their own. */
export const accountAttributes: EditableResource = {
  noun: "account",
  fields: [],
  attributesOf: "accounts",
  read: readAccount,
  update: updateAccount,
};

export function deleteAccount(accountId: number): Promise<unknown> {
  return api.DELETE("/api/v1/accounts/{accountId}", { params: { path: { accountId } } });
}

export const contactResource: SubResource = {
  noun: "contact",
  fields: [
    { name: "name", kind: "text", isRequired: "stored", hint: "Default: the address." },
    { name: "email", kind: "email" },
    externalId,
  ],
  attributesOf: "contacts",
  initial: {},
  async read(contactId, signal) {
    const { data, response } = await api.GET("/api/v1/contacts/{contactId}", {
      params: { path: { contactId } },
      ...(signal && { signal }),
    });
    return storedOf(pick(data.data, ["name", "email", "externalId", "attributes"]), response);
  },
  create: (accountId, members) =>
    api.POST("/api/v1/accounts/{accountId}/contacts", {
      params: { path: { accountId } },
      body: bodyOf<Schemas["NewContact"]>(members),
    }),
  update: (contactId, changes, etag) =>
    api.PATCH("/api/v1/contacts/{contactId}", {
      params: { path: { contactId }, header: { "If-Match": etag } },
      body: bodyOf<Schemas["ContactChanges"]>(changes),
    }),
  delete: (contactId) => api.DELETE("/api/v1/contacts/{contactId}", { params: { path: { contactId } } }),
};

export const meetingResource: SubResource = {
  noun: "meeting",
  fields: [
    { name: "title", kind: "text", isRequired: true },
    externalId,
    { name: "startAt", kind: "time", isRequired: true },
    { name: "endAt", kind: "time", isRequired: true },
  ],
  initial: {},
  async read(meetingId, signal) {
    const { data, response } = await api.GET("/api/v1/meetings/{meetingId}", {
      params: { path: { meetingId } },
      ...(signal && { signal }),
    });
    return storedOf(pick(data.data, ["title", "externalId", "startAt", "endAt"]), response);
  },
  create: (accountId, members) =>
    api.POST("/api/v1/accounts/{accountId}/meetings", {
      params: { path: { accountId } },
      body: bodyOf<Schemas["NewMeeting"]>(members),
    }),
  update: (meetingId, changes, etag) =>
    api.PATCH("/api/v1/meetings/{meetingId}", {
      params: { path: { meetingId }, header: { "If-Match": etag } },
      body: bodyOf<Schemas["MeetingChanges"]>(changes),
    }),
  delete: (meetingId) => api.DELETE("/api/v1/meetings/{meetingId}", { params: { path: { meetingId } } }),
};

export const requestResource: SubResource = {
  noun: "request",
  fields: [
    { name: "title", kind: "text", isRequired: true },
    externalId,
    {
      name: "status",
      kind: "choice",
      options: ["Open", "Planned", "Started", "Done", "Declined"].map((status) => [status, status] as const),
    },
    {
      name: "severity",
      kind: "choice",
      options: [
        [1, "1 (slight)"],
        [2, "2"],
        [3, "3"],
        [4, "4"],
        [5, "5 (severe)"],
      ],
    },
    { name: "requestedAt", kind: "time", hint: "Default: now." },
  ],
  initial: { status: "Open", severity: 3 },
  async read(requestId, signal) {
    const { data, response } = await api.GET("/api/v1/requests/{requestId}", {
      params: { path: { requestId } },
      ...(signal && { signal }),
    });
    return storedOf(pick(data.data, ["title", "externalId", "status", "severity", "requestedAt"]), response);
  },
  create: (accountId, members) =>
    api.POST("/api/v1/accounts/{accountId}/requests", {
      params: { path: { accountId } },
      body: bodyOf<Schemas["NewRequest"]>(members),
    }),
  update: (requestId, changes, etag) =>
    api.PATCH("/api/v1/requests/{requestId}", {
      params: { path: { requestId }, header: { "If-Match": etag } },
      body: bodyOf<Schemas["RequestChanges"]>(changes),
    }),
  delete: (requestId) => api.DELETE("/api/v1/requests/{requestId}", { params: { path: { requestId } } }),
};
