import { isErrorFromAlias } from "@zodios/core";
import { authorized, checkCalls, operations, plan, server } from "./calls.ts";
import { createApiClient } from "./out/openapi-zod-client.ts";

const client = createApiClient(server, { axiosConfig: { headers: authorized } });

// @ts-expect-error: the types of Zodios are too deep for the number of its parameters.
const list = client.listAccounts;
// @ts-expect-error: likewise.
const exportLines = client.exportAccountsAsJsonLines;

await checkCalls({
  create: async (account) => (await client.createAccount(account)).data.id,
  list: async () => (await list({ queries: {} })).data.map(({ name }) => name),
  async filter() {
    const queries = { status: ["active" as const], "mrr.gte": 1_000, attributes: plan };
    const { data } = await list({ queries });
    return data.map(({ name }) => name);
  },
  async batch() {
    const { data } = await client.runBatch({ mode: "partial", operations });
    return data.results.map(({ status, body }) => [status, body && "code" in body ? body.code : undefined]);
  },
  events: async (event) => (await client.sendEvents(event)).data.accepted,
  // Otherwise axios parses a text of one line.
  lines: () => exportLines({ responseType: "text" }),
  async problem(account) {
    const error = await client.createAccount(account).catch((error: unknown) => error);
    if (!isErrorFromAlias(client.api, "createAccount", error)) throw error;
    const { code, errors } = error.response.data;
    return { code, pointers: errors?.map(({ pointer }) => pointer) };
  },
});
