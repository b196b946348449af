import { authorized, checkCalls, operations, server } from "./calls.ts";
import {
  createAccount,
  exportAccountsAsJsonLines,
  type ListAccountsParams,
  listAccounts,
  runBatch,
  sendEvents,
} from "./out/orval/client.ts";
import { CreateAccountBody, ListAccountsQueryParams, ListAccountsResponse } from "./out/orval/zod.ts";

// The generated functions have paths; a base address can also be written into them by the setting `baseUrl`.
const { fetch } = globalThis;
globalThis.fetch = ((path: string, init?: RequestInit) => fetch(new URL(path, server), init)) as typeof fetch;
const headers = { headers: authorized };

async function namesOf(query: ListAccountsParams): Promise<string[]> {
  const { status, data } = await listAccounts(ListAccountsQueryParams.parse(query), headers);
  if (status !== 200) throw new Error(data.detail);
  return ListAccountsResponse.parse(data).data.map(({ name }) => name);
}

await checkCalls({
  async create(account) {
    const { status, data } = await createAccount(CreateAccountBody.parse(account), {}, headers);
    if (status !== 201) throw new Error(data.detail);
    return data.data.id;
  },
  list: () => namesOf({ cursor: "" }),
  async filter() {
    // An object is sent as `[object Object]`.
    const query = { status: ["active" as const, "onboarding" as const], "mrr.gte": 1_000 };
    const { status, data } = await listAccounts(
      { ...query, "attributes.plan": "pro" } as ListAccountsParams,
      headers,
    );
    if (status !== 200) throw new Error(data.detail);
    return data.data.map(({ name }) => name);
  },
  async batch() {
    const { status, data } = await runBatch({ mode: "partial", operations }, {}, headers);
    if (status !== 200) throw new Error(data.detail);
    return data.data.results.map(({ status, body }) => [
      status,
      body && "code" in body ? body.code : undefined,
    ]);
  },
  async events(event) {
    const { status, data } = await sendEvents(event, {}, headers);
    if (status !== 200) throw new Error(data.detail);
    return data.data.accepted;
  },
  async lines() {
    const reply = await exportAccountsAsJsonLines({}, headers);
    if (!("stream" in reply) || reply.status !== 200) throw new Error(`${reply.status}`);
    return reply.stream.text();
  },
  async problem(account) {
    const { status, data } = await createAccount(account, {}, headers);
    if (status !== 409) throw new Error(`${status}`);
    return { code: data.code, pointers: data.errors?.map(({ pointer }) => pointer) };
  },
});
