import { expect, test } from "bun:test";
import { streamText } from "../src/http/stream-text.ts";

test("other requests run between the parts of a streamed reply", async () => {
  const count = 50;
  async function* readParts() {
    for (let i = 0; i < count; i += 1) yield `part ${i}\n`;
  }
  let turns = 0;
  let isOver = false;
  const takeTurn = () => {
    turns += 1;
    if (!isOver) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  const request = new Request("http://localhost/");
  const response = await streamText({ request, reportStreamError: () => {} }, readParts());
  const text = await response.text();
  isOver = true;
  expect(text.split("\n")).toHaveLength(count + 1);
  expect(turns).toBeGreaterThanOrEqual(count - 1);
});
