import { expect, test } from "bun:test";
import { treaty } from "@elysiajs/eden";
import type { App } from "../../src/app.ts";
import { world } from "../support/world.ts";
import { operations } from "./operations.ts";

test("every operation has a typed call, and its reply is a success", async () => {
  const { app, call, first, account } = await world();
  const { id: accountId } = await account({ name: "First" });
  const create = async (plural: string, body: object): Promise<number> =>
    (await call("POST", `/api/v1/accounts/${accountId}/${plural}`, body)).body.data.id;
  const ids = {
    accountId,
    contactId: await create("contacts", { name: "Grace" }),
    meetingId: await create("meetings", { title: "First", startAt: "2026-01-01", endAt: "2026-01-02" }),
    requestId: await create("requests", { title: "First" }),
    keyId: (await call("POST", "/api/v1/keys", { name: "first" })).body.data.id,
  };
  const client = treaty<App>("http://localhost", {
    parseDate: false,
    // Safe: the client calls it with a URL, and does not read the other members of Bun's `fetch`.
    fetcher: ((url: string, init: RequestInit) => app.fetch(new Request(url, init))) as typeof fetch,
    headers: { "x-api-key": first.key },
  });

  const calls = operations(client, ids);
  const document = (await call("GET", "/docs/json", undefined, { key: null })).body;
  const operationIds = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(
    (path) => Object.values(path).map(({ operationId }) => operationId),
  );
  expect(Object.keys(calls).toSorted()).toEqual(operationIds.toSorted());
  for (const [operationId, request] of Object.entries(calls)) {
    const { error, status } = await request();
    expect([operationId, status, error]).toEqual([operationId, expect.any(Number), null]);
  }
});
