import { expect, test } from "bun:test";
import { delayRejections } from "../../src/server/delayed-rejections.ts";

const minDelay = 95;

type Options = { isRead?: boolean; hasLength?: boolean; delayMilliseconds?: number };

/** The time of a request whose reply has the status, in milliseconds. */
async function timeOf(status: number, size: number, options: Options) {
  const { isRead = false, hasLength = true, delayMilliseconds = 200 } = options;
  const fetch = delayRejections(async (request) => {
    if (isRead) await request.bytes();
    return new Response(null, { status });
  }, delayMilliseconds);
  const server = Bun.serve({ port: 0, fetch });
  const body = Buffer.alloc(size, " ");
  const start = performance.now();
  const reply = await globalThis.fetch(server.url, {
    method: "POST",
    body: hasLength ? body : new Blob([body]).stream(),
  });
  const time = performance.now() - start;
  expect(reply.status).toBe(status);
  await server.stop(true);
  return time;
}

test.each([
  ["a body of 1 MiB that was not read", 400, 1_048_576, {}],
  ["a body without content-length that was not read", 404, 20_000, { hasLength: false }],
  ["the key of a large body", 401, 20_000, { isRead: true }],
  ["a large body for its size", 413, 20_000, { isRead: true }],
  ["a large body for the load", 503, 20_000, { isRead: true }],
] as const)("the rejection of %s is delayed", async (_, status, size, options) => {
  expect(await timeOf(status, size, options)).toBeGreaterThan(minDelay);
});

test.each([
  ["the success of a large body", 200, 20_000, {}],
  ["an invalid large body", 400, 20_000, { isRead: true }],
  ["the rejection of a small body", 503, 1_000, {}],
  ["the rejection of a request without a body", 404, 0, {}],
] as const)("the reply to %s is not delayed", async (_, status, size, options) => {
  const delayMilliseconds = 20_000;
  expect(await timeOf(status, size, { ...options, delayMilliseconds })).toBeLessThan(delayMilliseconds / 4);
});

test("at most 2,000 rejections are delayed at once", async () => {
  const fetch = delayRejections(() => new Response(null, { status: 413 }), 60_000);
  const send = () => {
    const headers = { "content-length": "20000" };
    return Promise.resolve(fetch(new Request("http://x/", { method: "POST", headers })));
  };
  for (let i = 0; i < 2_000; i += 1) void send();
  await Bun.sleep(10);
  expect((await send()).status).toBe(413);
});
