import { expect, test } from "bun:test";
import { waitForTurn } from "../../src/core/turns.ts";
import { streamText } from "../../src/http/replies/stream-text.ts";
import { turnsOf } from "../support/event-loop-turns.ts";

test("other requests run between the parts of a streamed reply", async () => {
  const count = 50;
  async function* readParts() {
    for (let i = 0; i < count; i += 1) {
      Bun.sleepSync(2);
      yield `part ${i}\n`;
    }
  }
  let text = "";
  const turns = await turnsOf(async () => {
    const request = new Request("http://localhost/");
    const response = await streamText(
      { request, reportStreamError: () => {}, waitForTurn: () => waitForTurn(1) },
      readParts(),
    );
    text = await response.text();
  });
  expect(text.split("\n")).toHaveLength(count + 1);
  expect(turns).toBeGreaterThanOrEqual(count - 1);
});

test("other requests run between empty parts, which end with their client", async () => {
  let count = 0;
  let hasEnded = false;
  async function* readParts() {
    try {
      for (;;) {
        Bun.sleepSync(2);
        count += 1;
        yield "";
      }
    } finally {
      hasEnded = true;
    }
  }
  const turns = await turnsOf(async () => {
    const request = new Request("http://localhost/");
    const response = await streamText(
      { request, reportStreamError: () => {}, waitForTurn: () => waitForTurn(1) },
      readParts(),
    );
    const reader = response.body?.getReader();
    const read = reader?.read();
    while (count <= 10) await Bun.sleep(5);
    expect(hasEnded).toBe(false);
    await reader?.cancel();
    expect(await read).toMatchObject({ done: true });
  });
  expect(hasEnded).toBe(true);
  expect(count).toBeGreaterThan(10);
  expect(turns).toBeGreaterThanOrEqual(count - 2);
});
