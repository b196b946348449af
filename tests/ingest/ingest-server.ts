import { command, organization, serve } from "../support/server.ts";
import { type Reply, temporaryFile } from "../support/world.ts";

/** A server with an organization whose traits are on, set next to the server, and a key of the scope `events`. */
export async function ingestServer(...options: string[]) {
  const file = temporaryFile("accountd.db");
  const adminKey = await organization(file);
  const { url } = await serve(file, "0", ...options);
  const set = await command("organizations", "set", "first", "--traits", "on", "--database", file);
  if (set !== "Traits of organization 1, First, are on.") throw new Error(set);
  const scoped = ["--organization", "First", "--scope", "events", "--database", file];
  const key = await command("keys", "create", ...scoped);

  /** Sends a request of a key with the default scopes; resolves with `data`. */
  async function request(path: string, body?: Record<string, unknown>): Promise<Reply["body"]> {
    const headers = { "x-api-key": adminKey, ...(body && { "content-type": "application/json" }) };
    const sent = body && { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/v1${path}`, { headers, ...sent });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return ((await response.json()) as Reply["body"]).data;
  }
  const accountWithContacts = (externalId: string) => request(`/accounts/external/${externalId}`);
  return { key, url, request, accountWithContacts };
}
