import { deepEqual, match } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { key, server } from "./calls.ts";

const client = new Client({ name: "accountd-generators", version: "1" });
const env = { ...process.env, API_BASE_URL: server, API_KEY_APIKEY: key };
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: ["out/mcp/src/index.ts"],
    env,
    stderr: "ignore",
  }),
);

/** The names of the members of a schema, at all depths. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? Object.keys(schema.properties ?? {}) : [];
  return [...own, ...Object.values(schema).flatMap(keysOf)];
}

const { tools } = await client.listTools();
const keys = tools.flatMap(({ name, inputSchema }) => [name, ...keysOf(inputSchema)]);
// Models refuse all tools when one key has another form.
deepEqual(
  keys.filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
  [],
);

async function call(name: string, values: Record<string, unknown>): Promise<string> {
  return JSON.stringify((await client.callTool({ name, arguments: values })).content);
}
match(await call("createAccount", { requestBody: { name: "Acme", mrr: 1_250.5 } }), /Status: 201/);
match(await call("listAccounts", { status: ["active", "onboarding"], "mrr.gte": 1_000 }), /Acme/);
// The calls of Segment's SDKs, which have `x-mcp: false`.
deepEqual(
  tools.filter(({ name }) => /^(?:send|import)\w+(?:Call|Batch)$/.test(name)),
  [],
);
console.log(`${tools.length} tools, ${new Set(keys).size} keys`);
await client.close();
