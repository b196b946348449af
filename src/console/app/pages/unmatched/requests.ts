import type { components } from "../../../../../clients/typescript/src/client.ts";
import { api } from "../../api.ts";
import { ReaderError } from "../../editing/form-problem.ts";
import { bodyOf, type RowMembers } from "../../editing/members.ts";
import { unmatched } from "../../messages/messages.ts";
import type { UnmatchedView } from "./view.ts";

export type UnmatchedEntry = components["schemas"]["UnmatchedId"];
export type AccountCandidate = { id: number; name: string; externalId: string | null };
/** An account that has got the external id of `eventCount` pending events. */
export type AttachedAccount = { id: number; name: string; externalId: string; eventCount: number };

export async function readUnmatchedIds(
  { search, sortBy, sortOrder }: UnmatchedView,
  page: { cursor: string; pageSize: number },
  signal: AbortSignal,
) {
  const query = { ...(search !== "" && { search }), sortBy, sortOrder, ...page };
  return (await api.GET("/api/v1/events/unmatched", { params: { query }, signal })).data;
}

/** The first accounts that match the text; by default only those without an external id. */
export async function findAccounts(
  { search, isWithIds }: { search: string; isWithIds: boolean },
  signal: AbortSignal,
): Promise<AccountCandidate[]> {
  const fields = ["name" as const, "externalId" as const];
  const filter = { ...(search !== "" && { search }), ...(!isWithIds && { hasExternalId: false }) };
  const { data } = await api.GET("/api/v1/accounts", {
    params: { query: { ...filter, fields, pageSize: 8 } },
    signal,
  });
  return data.data;
}

export async function createAccount(
  { externalId, count }: UnmatchedEntry,
  members: RowMembers,
): Promise<AttachedAccount> {
  const { data } = await api.POST("/api/v1/accounts", { body: bodyOf({ ...members, externalId }) });
  return { id: data.data.id, name: data.data.name, externalId, eventCount: count };
}

/** Sets the external id of an account. Throws `ReaderError`, after a call of `onOther`, if it has another one than `known` now. */
export async function linkAccount(
  { externalId, count }: UnmatchedEntry,
  { id, externalId: known }: AccountCandidate,
  onOther: (externalId: string | null) => void,
): Promise<AttachedAccount> {
  const path = { accountId: id };
  const current = await api.GET("/api/v1/accounts/{accountId}", {
    params: { path, query: { fields: ["externalId"] } },
  });
  const currentId = current.data.data.externalId;
  if (currentId !== known) {
    onOther(currentId);
    throw new ReaderError(unmatched.changedMeanwhile);
  }
  const tag = current.response.headers.get("etag");
  const { data } = await api.PATCH("/api/v1/accounts/{accountId}", {
    params: { path, header: { ...(tag !== null && { "If-Match": tag }) } },
    body: { externalId },
  });
  return { id, name: data.data.name, externalId, eventCount: count };
}

/** The number of events that the account has got and that are not counted yet. */
export async function countPendingEvents(accountId: number, signal: AbortSignal): Promise<number> {
  const { data } = await api.GET("/api/v1/accounts/{accountId}/health", {
    params: { path: { accountId } },
    signal,
  });
  return data.data.pendingEvents ?? 0;
}
