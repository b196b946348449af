import createClient from "openapi-fetch";
import { authorized, checkCalls, operations, plan, server } from "./calls.ts";
import type { paths } from "./out/openapi-typescript.ts";

const client = createClient<paths>({ baseUrl: server, headers: authorized });

await checkCalls({
  async create(body) {
    const { data } = await client.POST("/api/v1/accounts", { body });
    return data?.data.id ?? 0;
  },
  async list() {
    const { data } = await client.GET("/api/v1/accounts");
    return data?.data.map(({ name }) => name) ?? [];
  },
  async filter() {
    const query = {
      status: ["active" as const, "onboarding" as const],
      "mrr.gte": 1_000,
      attributes: plan,
    };
    const { data } = await client.GET("/api/v1/accounts", { params: { query } });
    return data?.data.map(({ name }) => name) ?? [];
  },
  async batch() {
    const { data } = await client.POST("/api/v1/batch", { body: { mode: "partial", operations } });
    const results = data?.data.results ?? [];
    return results.map(({ status, body }) => [status, body && "code" in body ? body.code : undefined]);
  },
  async events(body) {
    const { data } = await client.POST("/api/v1/events", { body });
    return data?.data.accepted ?? 0;
  },
  async lines() {
    const { data } = await client.GET("/api/v1/accounts.jsonl", { parseAs: "text" });
    return data ?? "";
  },
  async problem(account) {
    const { error } = await client.POST("/api/v1/accounts", { body: account });
    return { code: error?.code, pointers: error?.errors?.map(({ pointer }) => pointer) };
  },
});
