import { checkCalls, key, operations, plan, server } from "./calls.ts";
import { client } from "./out/hey-api/client.gen.ts";
import {
  createAccount,
  exportAccountsAsJsonLines,
  listAccounts,
  runBatch,
  sendEvents,
} from "./out/hey-api/index.ts";

client.setConfig({ baseUrl: server, auth: ({ name }) => (name === "x-api-key" ? key : undefined) });
const throwOnError = true;

await checkCalls({
  async create(body) {
    const { data } = await createAccount({ body, throwOnError });
    return data.data.id;
  },
  async list() {
    const { data } = await listAccounts({ throwOnError });
    return data.data.map(({ name }) => name);
  },
  async filter() {
    const query = {
      status: ["active" as const, "onboarding" as const],
      "mrr.gte": 1_000,
      attributes: plan,
    };
    const { data } = await listAccounts({ query, throwOnError });
    return data.data.map(({ name }) => name);
  },
  async batch() {
    const { data } = await runBatch({ body: { mode: "partial", operations }, throwOnError });
    return data.data.results.map(({ status, body }) => [
      status,
      body && "code" in body ? body.code : undefined,
    ]);
  },
  async events(event) {
    const { data } = await sendEvents({ body: event, throwOnError });
    return data.data.accepted;
  },
  async lines() {
    const { data } = await exportAccountsAsJsonLines({ parseAs: "text", throwOnError });
    return data;
  },
  async problem(account) {
    const { error } = await createAccount({ body: account });
    return { code: error?.code, pointers: error?.errors?.map(({ pointer }) => pointer) };
  },
});
