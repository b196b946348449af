import { createSession, lifeMilliseconds } from "../api-keys/sessions.ts";
import { createKey } from "../api-keys/store.ts";
import { OperatorError } from "../core/settings/operator-error.ts";
import { scopes as allScopes, type Scope } from "../core/tenant/scopes.ts";
import type { Organization } from "../organizations/store.ts";
import type { OperatorServices } from "./request.ts";

type LinkInput = { keyId?: number | undefined; scopes?: readonly Scope[] | undefined };
type ConsoleLink = { token: string; keyId: number; url: string | undefined };

/**
 * Creates the token of a link that signs in to the console once, within 10 minutes: of a key of the organization, or of
 * a new key, whose secret nobody has. Throws OperatorError for a key that is not valid, and without a console.
 */
export async function createConsoleLink(
  { engine, consoleUrl }: OperatorServices,
  { id: organizationId, name }: Organization,
  { keyId, scopes = allScopes }: LinkInput,
): Promise<ConsoleLink> {
  if (consoleUrl === null)
    throw new OperatorError("console_off", "The server runs with --console off, so it has no console.");
  return engine.write(organizationId, async (tx) => {
    const expiresAt = tx.now + lifeMilliseconds.session;
    const id =
      keyId ?? (await createKey(tx, { organizationId, name: "console link", expiresAt, scopes })).key.id;
    const token = await createSession(tx, { id, organizationId }, "link");
    if (token === undefined)
      throw new OperatorError(
        "not_found",
        `${name} has no key ${id} that is valid. accountd keys list shows its keys.`,
      );
    return { token, keyId: id, url: consoleUrl };
  });
}
