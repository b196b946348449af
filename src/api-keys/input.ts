import { type Static, Type } from "@sinclair/typebox";
import { invalidField } from "../core/errors.ts";
import { maxRateLimit } from "../core/settings/settings.ts";
import { closestScope, isScope, type Scope, scopes } from "../core/tenant/scopes.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { listQuerySchema } from "../http/validation/list-shapes.ts";
import {
  choice,
  documentedOnly,
  idPath,
  integer,
  nullable,
  nullableText,
  text,
} from "../http/validation/shapes.ts";
import { keyList } from "./organization-keys.ts";
import type { KeyInput } from "./store.ts";

export const KeyPath = idPath("keyId", "The key's id");
export const KeyListQuery = listQuerySchema(keyList.definition, {});

export const NewKeyBody = Type.Object(
  {
    name: text({
      minLength: 1,
      maxLength: 255,
      pattern: "\\S",
      description: "What the key is for",
      examples: ["import"],
    }),
    scopes: Type.Optional(
      documentedOnly(
        Type.Array(choice(scopes), {
          minItems: 1,
          maxItems: scopes.length,
          description:
            "What the key may do, at most what the key of the request may; read, write and events by default",
        }),
      ),
    ),
    expiresAt: Type.Optional(
      nullableText({
        format: "iso-8601",
        description: "From when on the key is invalid; null or absent: never",
      }),
    ),
    rateLimit: Type.Optional(
      nullable(
        integer({
          minimum: 1,
          maximum: maxRateLimit,
          description:
            "Requests per minute; null or absent: that of the key of the request, or of the server",
        }),
      ),
    ),
  },
  {
    $id: "NewApiKey",
    additionalProperties: true,
    examples: [{ name: "import", scopes: ["read"], expiresAt: "2099-12-31" }],
  },
);

/** The key that a body describes. Throws `invalid_request`. */
export function readNewKey({
  name,
  scopes: list,
  expiresAt,
  rateLimit,
}: Static<typeof NewKeyBody>): KeyInput {
  return {
    name,
    rateLimit,
    scopes: list === undefined ? undefined : readScopeArray(list),
    expiresAt: expiresAt == null ? null : parseTimestamp(expiresAt),
  };
}

/** The shape is for the document only, because the violation of an array names its entry. */
function readScopeArray(list: unknown): Scope[] {
  if (!Array.isArray(list)) throw invalidField("/scopes", "wrong_type", "must be an array");
  if (list.length === 0) throw invalidField("/scopes", "too_short", "must not be empty");
  if (list.length > scopes.length)
    throw invalidField("/scopes", "too_many", `must contain at most ${scopes.length} items`);
  return list.map((name, index) => {
    if (isScope(name)) return name;
    const closest = typeof name === "string" ? closestScope([name]) : undefined;
    const hint = closest === undefined ? "" : `: did you mean \`${closest}\`?`;
    throw invalidField(`/scopes/${index}`, "not_allowed", `must be one of ${scopes.join(", ")}${hint}`);
  });
}
