import { type Static, Type } from "@sinclair/typebox";
import { invalidField } from "../core/errors.ts";
import type { Credential } from "../core/tenant/credential.ts";
import { parseScopes } from "../core/tenant/scopes.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { choice, text } from "../http/validation/shapes.ts";
import type { KeySession } from "./sessions.ts";

const secret = () => Type.Optional(text({ minLength: 1, maxLength: 255 }));

export const SignInBody = Type.Object(
  { key: secret(), link: secret() },
  { $id: "SignIn", additionalProperties: true },
);

export const SignOutQuery = Type.Object(
  { everywhere: Type.Optional(choice(["true", "false"])) },
  { additionalProperties: true },
);

/** The credential of a body. Throws `invalid_request` unless it has one. */
export function readSignIn({ key, link }: Static<typeof SignInBody>): Credential {
  if (key !== undefined && link !== undefined)
    throw invalidField("/link", "not_allowed", "must be absent with key");
  if (link !== undefined) return { kind: "link", secret: link };
  if (key === undefined) throw invalidField("/key", "required", "is required without link");
  return { kind: "key", secret: key };
}

/**
 * The wire form of a session: who is signed in. Without its token. `backupFailedAt`, when the last backup of the server
 * failed, is for administrators.
 */
export function presentSession({ organization, key, expiresAt }: KeySession, backupFailedAt?: number) {
  const { id, name, lastFour } = key;
  const scopes = parseScopes(key.scopes);
  return {
    organization,
    key: { id, name, lastFour },
    scopes,
    expiresAt: formatTimestamp(expiresAt),
    ...(backupFailedAt !== undefined &&
      scopes.includes("admin") && { backupFailedAt: formatTimestamp(backupFailedAt) }),
  };
}
