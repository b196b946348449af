import type { Body } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";

const methods: Partial<Record<Asked["op"], string>> = {
  create: "POST",
  events: "POST",
  batch: "POST",
  upsert: "POST",
  patch: "PATCH",
  put: "PUT",
  delete: "DELETE",
};

export function methodOf(op: Asked["op"]): string {
  return methods[op] ?? "GET";
}

export function isRead(op: Asked["op"]): boolean {
  return methodOf(op) === "GET";
}

/** The body as it is sent. That of a batch has the methods, paths and bodies of its operations. */
export function bodyOf({ body, operations, isAtomic }: Asked): Body {
  if (!operations) return body;
  return {
    mode: isAtomic ? "atomic" : "partial",
    operations: operations.map((one) => ({
      method: methodOf(one.op),
      path: `/api/v1/${pathOf(one)}`,
      ...(one.op !== "delete" && { body: one.body }),
    })),
  };
}

/** The path below `/api/v1/` with the query. */
export function pathOf({ op, kind, id, externalId, query }: Asked): string {
  const paths: Partial<Record<Asked["op"], string>> = {
    events: "events",
    batch: "batch",
    upsert: "accounts/batch",
    unmatched: "events/unmatched",
    usage: `accounts/${id}/usage`,
  };
  return withQuery(paths[op] ?? placeOf(op, kind, id, externalId), query);
}

export function withQuery(path: string, query: Asked["query"]): string {
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}

function placeOf(op: Asked["op"], kind: Asked["kind"], id?: number, externalId?: string): string {
  if (externalId !== undefined) return `${kind}/external/${encodeURIComponent(externalId)}`;
  if (id === undefined) return kind;
  const isOfAccount = kind !== "accounts" && (op === "create" || op === "list");
  return isOfAccount ? `accounts/${id}/${kind}` : `${kind}/${id}`;
}
