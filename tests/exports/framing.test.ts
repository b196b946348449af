import { expect, test } from "bun:test";
import { listen } from "../../src/server/listen.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { world } from "../support/world.ts";

const requestCount = 40;

test("no export has a content-length, however fast its rows are read: its headers tell nothing about other organizations", async () => {
  const { app, first } = await world();
  const timeouts = { keepAliveSeconds: () => 60, stallSeconds: 60 };
  const server = listen({ host: "127.0.0.1", port: 0 }, app.fetch, timeouts);
  closeAfterTest(() => server.stop(true));
  const framing = async () => {
    const response = await fetch(new URL("/api/v1/accounts.csv", server.url), {
      headers: { authorization: `Bearer ${first.key}` },
    });
    await response.text();
    return response.headers.get("content-length") ?? response.headers.get("transfer-encoding");
  };
  const alone: unknown[] = [];
  for (let i = 0; i < requestCount; i++) alone.push(await framing());
  const atOnce = await Promise.all(Array.from({ length: requestCount }, framing));
  expect(new Set([...alone, ...atOnce])).toEqual(new Set(["chunked"]));
});
