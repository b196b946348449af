import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reply } from "../support/world.ts";
import { folder, output, type Running, start } from "./binary.ts";

/** A closed database with the organization Acme and a key, made once by each program. */
const templates = new Map<string, Promise<{ file: Uint8Array; key: string }>>();

async function makeTemplate(program?: readonly string[]) {
  const cwd = folder();
  await output(["organizations", "create", "Acme"], { cwd, program });
  const key = await output(["keys", "create", "--organization", "Acme"], { cwd, program });
  return { file: readFileSync(join(cwd, "data/accountd.db")), key };
}

/** A running server, and the organization Acme with a key, both created before the start. */
export async function service(env: Record<string, string> = {}, program?: readonly string[]) {
  const name = program?.join(" ") ?? "";
  const template = templates.get(name) ?? makeTemplate(program);
  templates.set(name, template);
  const { file, key } = await template;
  const cwd = folder();
  mkdirSync(join(cwd, "data"), { mode: 0o700 });
  writeFileSync(join(cwd, "data/accountd.db"), file, { mode: 0o600 });
  const server: Running = await start(["serve", "--port", "0"], { cwd, env, program });
  return {
    cwd,
    key,
    server,
    url: server.url,
    database: join(cwd, "data/accountd.db"),
    send: (method: string, path: string, body?: unknown) => sendRequest(server.url, key, method, path, body),
  };
}

export async function sendRequest(
  url: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    headers: { "x-api-key": key, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json\b/.test(response.headers.get("content-type") ?? "") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : {},
  };
}

/** The lines of a server's log. Throws when a line of standard error is not JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a line and compares it.
export function logOf(server: Running): any[] {
  const lines = server.stderr().split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

/** The first line of the log with an event, when there is one. */
export async function logged(server: Running, event: string) {
  for (;;) {
    const found = logOf(server).find((line) => line.event === event);
    if (found) return found;
    await Bun.sleep(20);
  }
}

/** Whether the text is one line without a stack trace and without the name of an error class. */
export function isOneLine(text: string): boolean {
  return /^[^\n]+\n$/.test(text) && !/^\s+at |Error:/m.test(text);
}
