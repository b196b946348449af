import { type Static, Type } from "@sinclair/typebox";
import { parseScopes, scopes } from "../core/tenant/scopes.ts";
import { formatNullable, formatTimestamp } from "../core/timestamps.ts";
import { listOf } from "../http/validation/list-shapes.ts";
import {
  choice,
  dataOf,
  integer,
  nullable,
  nullableTimestamp,
  text,
  timestamp,
} from "../http/validation/shapes.ts";
import type { Key } from "./store.ts";

const key = Type.Object({
  id: integer({ examples: [3] }),
  name: text({ description: "What the key is for", examples: ["import"] }),
  lastFour: text({ description: "The last 4 characters of the key", examples: ["wX3z"] }),
  scopes: Type.Array(choice(scopes), { description: "What the key may do", examples: [["read", "write"]] }),
  rateLimit: nullable(
    integer({ description: "Requests per minute; null: the limit of the server", examples: [600] }),
  ),
  createdAt: timestamp("When the key was created"),
  expiresAt: nullableTimestamp("From when on the key is invalid; null: never"),
  revokedAt: nullableTimestamp("When the key was revoked"),
  lastUsedAt: nullableTimestamp("When the key was last used, stored at most once a minute"),
});

/** The key of a request, for `GET /me`. */
export const OwnKey = Type.Pick(key, ["id", "name", "scopes", "rateLimit", "expiresAt"], {
  $id: "OwnKey",
  description: "The key of the request",
});
const ApiKey = Type.Omit(key, [], { $id: "ApiKey", description: "A key of the organization" });
const CreatedApiKey = Type.Object(
  {
    ...key.properties,
    key: Type.Optional(
      text({
        description: "The key itself. It is in this response only, and not in a replay of it",
        examples: ["ak_0123456789ABCDEFGHIJKLMNOPQRST3vWx3z"],
      }),
    ),
  },
  { $id: "CreatedApiKey", description: "A new key of the organization" },
);
export const ApiKeyPage = listOf(ApiKey, "ApiKeyPage");
export const ApiKeyReply = dataOf(ApiKey, "ApiKeyReply");
/** A key with its secret, which is absent in a replay. */
export type ReturnedKey = Static<typeof CreatedApiKey>;
export const CreatedApiKeyReply = dataOf(CreatedApiKey, "CreatedApiKeyReply");

export function presentKey(row: Key): Static<typeof ApiKey> {
  const { id, name, lastFour, rateLimit, createdAt, expiresAt, revokedAt, lastUsedAt } = row;
  return {
    id,
    name,
    lastFour,
    scopes: parseScopes(row.scopes),
    rateLimit,
    createdAt: formatTimestamp(createdAt),
    expiresAt: formatNullable(expiresAt),
    revokedAt: formatNullable(revokedAt),
    lastUsedAt: formatNullable(lastUsedAt),
  };
}
