import { dirname } from "node:path";
import { bash } from "../support/bash.ts";
import { command, serve } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";

/** A server with the organization acme, and `run`, which runs a shell example of a document next to it, in `folder`. */
export async function examplesWorld() {
  const file = temporaryFile("accountd.db");
  await command("organizations", "create", "acme", "--database", file);
  const key = (await command("keys", "create", "--organization", "acme", "--database", file)).trim();
  const folder = dirname(file);
  const { url } = await serve(file);
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const send = async (method: string, path: string, body?: object) => {
    const reply = await fetch(new URL(path, url), {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    // Safe: a row, or a list.
    return (await reply.json()) as { data: { id: number }; pagination: { total: number } };
  };
  // A failed request fails the script.
  const programs = `set -eo pipefail
    curl() { command curl --fail-with-body "$@" && echo; }`;
  const env = { KEY: key, DATABASE_URL: file };
  const run = (block: string) =>
    bash(`${programs}\n${block.replaceAll("http://127.0.0.1:3000", url.replace(/\/$/, ""))}`, env, folder);
  return { folder, key, url, send, run };
}
