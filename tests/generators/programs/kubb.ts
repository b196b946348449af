import { checkCalls, operations, plan } from "./calls.ts";
import {
  createAccount,
  createAccount409Schema,
  exportAccountsAsJsonLines,
  listAccounts,
  runBatch,
  sendEvents,
} from "./out/kubb/index.ts";

await checkCalls({
  create: async (account) => (await createAccount(account)).data.id,
  list: async () => (await listAccounts()).data.map(({ name }) => name),
  async filter() {
    const { data } = await listAccounts({
      status: ["active", "onboarding"],
      "mrr.gte": 1_000,
      attributes: plan,
    });
    return data.map(({ name }) => name);
  },
  async batch() {
    const { data } = await runBatch({ mode: "partial", operations });
    return data.results.map(({ status, body }) => [status, body && "code" in body ? body.code : undefined]);
  },
  events: async (event) => (await sendEvents(event)).data.accepted,
  lines: () => exportAccountsAsJsonLines(),
  async problem(account) {
    const failure = await createAccount(account).catch((error: unknown) => error);
    const { code, errors } = createAccount409Schema.parse(failure);
    return { code, pointers: errors?.map(({ pointer }) => pointer) };
  },
});
