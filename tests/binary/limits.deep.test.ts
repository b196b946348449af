import { expect, setDefaultTimeout, test } from "bun:test";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

const path = "/api/v1/accounts";

test("RATE_LIMIT limits every key of the server", async () => {
  const { send } = await service({ RATE_LIMIT: "1200" });
  const { headers } = await send("GET", path);
  expect(headers.get("ratelimit-policy")).toBe('"default";q=1200;w=60');
  expect(headers.get("ratelimit")).toBe('"default";r=399;t=1');
});

/** The statuses of requests with an invalid key, each with an X-Forwarded-For. */
async function guess(url: string, addresses: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const address of addresses) {
    const headers = { "x-api-key": "ak_wrong", "x-forwarded-for": address };
    statuses.push((await fetch(url + path, { headers })).status);
  }
  return statuses;
}

test("AUTH_FAILURE_LIMIT counts by connection; X-Forwarded-For is used for TRUSTED_PROXIES only", async () => {
  const own = await service({ AUTH_FAILURE_LIMIT: "2" });
  const clients = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.1"];
  expect(await guess(own.url, clients)).toEqual([401, 401, 429, 429]);
  expect((await own.send("GET", path)).status).toBe(200);
  const proxied = await service({ AUTH_FAILURE_LIMIT: "2", TRUSTED_PROXIES: "127.0.0.0/8" });
  expect(await guess(proxied.url, [...clients, "203.0.113.1"])).toEqual([401, 401, 401, 401, 429]);
});
