import { authorized, checkCalls, operations, plan, server } from "./calls.ts";
import { createAccount, defaults, listAccounts, runBatch, sendEvents } from "./out/oazapfts.ts";

defaults.baseUrl = server;
defaults.headers = authorized;

async function namesOf(query: Parameters<typeof listAccounts>[0]): Promise<string[]> {
  const { status, data } = await listAccounts(query);
  if (status !== 200) throw new Error(data.detail);
  return data.data.map(({ name }) => name);
}

await checkCalls({
  async create(account) {
    const { status, data } = await createAccount(account);
    if (status !== 201) throw new Error(data.detail);
    return data.data.id;
  },
  list: () => namesOf({}),
  filter: () => namesOf({ status: ["active", "onboarding"], mrrGte: 1_000, attributes: plan }),
  async batch() {
    const { status, data } = await runBatch({ mode: "partial", operations });
    if (status !== 200) throw new Error(data.detail);
    return data.data.results.map(({ status, body }) => [
      status,
      body && "code" in body ? body.code : undefined,
    ]);
  },
  async events(event) {
    const { status, data } = await sendEvents(event);
    if (status !== 200) throw new Error(data.detail);
    return data.data.accepted;
  },
  async problem(account) {
    const { status, data } = await createAccount(account);
    if (status !== 409) throw new Error(`${status}`);
    return { code: data.code, pointers: data.errors?.map(({ pointer }) => pointer) };
  },
});
