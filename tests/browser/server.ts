import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "../..");

/** The members of a body that tests name. */
type Body = Readonly<Record<string, unknown>> | readonly unknown[];

export type Console = Awaited<ReturnType<typeof startConsole>>;

/** A server of the sample companies in a process of its own, with its key of all scopes and its link. `flags` are added. */
export async function startConsole(flags: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "accountd-console-"));
  const database = join(folder, "console.db");
  const words = [
    "quickstart",
    "--port",
    "0",
    "--json",
    "--auth-failure-limit",
    "0",
    "--webhooks-insecure",
    "--database",
    database,
    ...flags,
  ];
  const program = Bun.spawn([process.execPath, "--no-env-file", "src/main.ts", ...words], {
    cwd: root,
    stdout: "pipe",
    stderr: "inherit",
  });
  const { url, key, console: link } = await firstLine(program.stdout);
  await awaitScores(url, key);

  /** Sends a request with a key and returns the `data` of the reply. Throws unless it succeeds. */
  async function request<Data>(method: string, path: string, body?: Body, apiKey = key): Promise<Data> {
    const response = await send(method, path, body, apiKey);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    if (response.status === 204) return undefined as Data;
    return ((await response.json()) as { data: Data }).data;
  }

  function send(method: string, path: string, body?: Body, apiKey = key): Promise<Response> {
    return fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { "x-api-key": apiKey, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  return {
    url,
    key,
    link,
    database,
    send,
    request,
    /** A new key of the scopes. */
    createKey: async (name: string, scopes: readonly string[]) =>
      (await request<{ key: string }>("POST", "keys", { name, scopes })).key,
    /** A key of all scopes of a new organization. */
    async createOrganization(name: string): Promise<string> {
      await runCommand("organizations", "create", name, "--database", database);
      const scopes = ["--scope", "read,write,events,admin"];
      return runCommand("keys", "create", "--organization", name, ...scopes, "--database", database);
    },
    /** The token of a new session of a key. */
    signIn: (apiKey: string) => signIn(url, apiKey),
    async stop(): Promise<void> {
      program.kill("SIGKILL");
      await program.exited;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Resolves when the scores of the sample companies are computed, which begins at the start. */
async function awaitScores(url: string, key: string): Promise<void> {
  const scored = { headers: { "x-api-key": key } };
  for (let before = -1; ; await Bun.sleep(150)) {
    const reply = await fetch(`${url}/api/v1/health/summary`, scored);
    const { data } = (await reply.json()) as { data: { distribution: number[] } };
    const count = data.distribution.reduce((sum, accounts) => sum + accounts, 0);
    if (count > 0 && count === before) return;
    before = count;
  }
}

async function firstLine(output: ReadableStream<Uint8Array>) {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) return JSON.parse(text) as { url: string; key: string; console: string };
  }
  throw new Error("the server did not start");
}

async function runCommand(...words: string[]): Promise<string> {
  const program = Bun.spawn([process.execPath, "--no-env-file", "src/main.ts", ...words], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = await new Response(program.stdout).text();
  if ((await program.exited) !== 0) throw new Error(await new Response(program.stderr).text());
  return output.trim();
}

async function signIn(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-accountd-console": "1" },
    body: JSON.stringify({ key }),
  });
  const token = /^accountd_session=([^;]+);/.exec(response.headers.get("set-cookie") ?? "")?.[1];
  if (token === undefined) throw new Error(`not signed in: ${await response.text()}`);
  return token;
}
