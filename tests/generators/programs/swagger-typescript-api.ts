import { authorized, checkCalls, operations, plan, queryString, server } from "./calls.ts";
import { Api, type HttpResponse, type Problem } from "./out/swagger-typescript-api.ts";

class Client extends Api<unknown> {
  protected override toQueryString(query: Record<string, unknown> = {}): string {
    return queryString(query);
  }
}
const { api } = new Client({ baseUrl: server, baseApiParams: { headers: authorized } });

await checkCalls({
  create: async (account) => (await api.createAccount(account)).data.data.id,
  list: async () => (await api.listAccounts()).data.data.map(({ name }) => name),
  async filter() {
    const { data } = await api.listAccounts({
      status: ["active", "onboarding"],
      "mrr.gte": 1_000,
      attributes: plan,
    });
    return data.data.map(({ name }) => name);
  },
  async batch() {
    const { data } = await api.runBatch({ mode: "partial", operations });
    return data.data.results.map(({ status, body }) => [
      status,
      body && "code" in body ? body.code : undefined,
    ]);
  },
  events: async (event) => (await api.sendEvents(event)).data.data.accepted,
  lines: async () => (await api.exportAccountsAsJsonLines({}, { format: "text" })).data,
  async problem(account) {
    // Safe: a failed request is thrown as its response, whose `error` is the problem.
    const { error } = await api
      .createAccount(account)
      .catch((reply: HttpResponse<unknown, Problem>) => reply);
    return { code: error.code, pointers: error.errors?.map(({ pointer }) => pointer) };
  },
});
