import { expect, test } from "bun:test";
import type { Engine } from "../../db/engine.ts";
import { yieldToEventLoop } from "../../db/event-loop.ts";
import { createAuthenticator } from "../../src/api-keys/authenticator.ts";
import { world } from "../support/world.ts";

/** Authentication on an engine whose writes wait until the test lets them run or fail. */
async function waitingWorld() {
  const { engine, first, second, pass } = await world();
  const waiting: { run: () => void; fail: (error: unknown) => void }[] = [];
  const waitingEngine: Engine = {
    ...engine,
    write: async (organizationId, fn) => {
      await new Promise<void>((run, fail) => waiting.push({ run, fail }));
      return engine.write(organizationId, fn);
    },
  };
  const lines: unknown[] = [];
  const log = { info: () => {}, error: (...line: unknown[]) => void lines.push(line) };
  const services = { engine: waitingEngine, reactions: [], runJob: async () => {} };
  const authenticator = createAuthenticator(services, log);
  const authenticate = (secret: string) =>
    authenticator({ kind: "key", secret }, { requestId: "request", isRead: false });
  return { authenticate, first, second, waiting, lines, pass };
}

test("while the use of a key is being stored, it is not stored again, and no request waits", async () => {
  const { authenticate, first, second, waiting } = await waitingWorld();
  for (let i = 0; i < 5; i += 1) expect((await authenticate(first.key)).organizationId).toBe(first.id);
  expect(waiting).toHaveLength(1);
  expect((await authenticate(second.key)).organizationId).toBe(second.id);
  expect(waiting).toHaveLength(2);
  for (const { run } of waiting) run();
});

test("a use that cannot be stored is logged, rejects no request, and is tried again after a minute", async () => {
  const { authenticate, first, second, waiting, lines, pass } = await waitingWorld();
  const full = Object.assign(new Error("full"), { code: "SQLITE_FULL" });
  const line = ["key_use_not_stored", { keyId: expect.any(Number), code: "SQLITE_FULL" }];
  await authenticate(first.key);
  for (let minute = 1; minute <= 2; minute += 1) {
    waiting.at(-1)?.fail(full);
    await yieldToEventLoop();
    expect(lines).toEqual(new Array(minute).fill(line));
    for (let i = 0; i < 5; i += 1) await authenticate(first.key);
    pass(59_999);
    await authenticate(first.key);
    expect(waiting).toHaveLength(minute);
    pass(1);
    await authenticate(first.key);
    expect(waiting).toHaveLength(minute + 1);
  }
  await authenticate(second.key);
  expect(waiting).toHaveLength(4);
  for (const { run } of waiting) run();
});
