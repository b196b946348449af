import { type Body, invalid, iso, paged, Refusal } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Model } from "./model-state.ts";

/** A key of an organization. `expiresAt` is null for one without an expiry. */
export type Key = { org: number; id: number; name: string; scopes: readonly string[]; createdAt: string } & {
  expiresAt: string | null;
  revokedAt: string | null;
};
export type Actor = { type: "key"; id: number; name: string };

export const allScopes = ["read", "write", "events", "admin"];
const defaultScopes = ["read", "write", "events"];
const scopesOf: Partial<Record<Asked["op"], string>> = { events: "events", seen: "events" };
for (const op of ["create", "patch", "put", "delete", "batch", "upsert"] as const) scopesOf[op] = "write";
for (const op of ["erase", "listKeys", "getKey", "createKey", "revokeKey"] as const) scopesOf[op] = "admin";

/** The key of a request. Throws the reply of one that is invalid or lacks the scope. */
export function authorize({ keys, now }: Model, { org, op, by }: Asked): Actor {
  const own = keys.filter((key) => key.org === org);
  const key = by === undefined ? own[0] : own.find(({ id }) => id === by);
  if (!key || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= iso(now)))
    throw new Refusal(401, "unauthorized");
  if (!key.scopes.includes(scopesOf[op] ?? "read")) throw new Refusal(403, "insufficient_scope");
  return { type: "key", id: key.id, name: key.name };
}

export function listKeys({ keys }: Model, { org, query }: Asked) {
  return paged(keys.filter((key) => key.org === org).map(shownKey), query);
}

export function getKey(model: Model, asked: Asked): Body {
  return shownKey(find(model, asked));
}

export function createKey(model: Model, { org, body }: Asked): Body {
  const { name, scopes = defaultScopes, expiresAt = null } = body as Partial<Key>;
  const granted = model.keys.find(({ id }) => id === model.caller.id)?.scopes ?? [];
  if (!scopes.every((scope) => granted.includes(scope))) throw new Refusal(403, "insufficient_scope");
  if (expiresAt !== null && expiresAt <= iso(model.now)) throw invalid("/expiresAt in_past");
  const key: Key = {
    org,
    id: model.newId(org, "keys"),
    name: name ?? "",
    scopes: allScopes.filter((scope) => scopes.includes(scope)),
    createdAt: iso(model.now),
    expiresAt,
    revokedAt: null,
  };
  model.lastIds.keys = Math.max(model.lastIds.keys, key.id);
  model.keys = [...model.keys, key];
  return shownKey(key);
}

export function revokeKey(model: Model, asked: Asked): { status: number } {
  const key = find(model, asked);
  const revoked = { ...key, revokedAt: key.revokedAt ?? iso(model.now) };
  model.keys = model.keys.map((one) => (one === key ? revoked : one));
  return { status: 204 };
}

function find({ keys }: Model, { org, id }: Asked): Key {
  const key = keys.find((one) => one.org === org && one.id === id);
  if (!key) throw new Refusal(404, "not_found");
  return key;
}

function shownKey({ org: _, ...key }: Key): Body {
  return { ...key, rateLimit: null };
}
