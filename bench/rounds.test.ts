import { expect, test } from "bun:test";
import { contestants } from "./contestants.ts";
import { checkRows } from "./rounds.ts";
import { sample } from "./sample.ts";
import { serve } from "./test-server.ts";
import { works } from "./work.ts";

const accountd = contestants.find(({ name }) => name === "accountd");
const filters = works(sample).filter(({ rows }) => rows !== undefined);

/** Checks a filter against a server whose lists have this number of rows. */
function checkOn(length: number): Promise<void> {
  const body = JSON.stringify({ data: Array.from({ length }, (_, id) => ({ id })) });
  const port = serve((_, send) => send(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
  if (!accountd || !filters[0]) throw new Error("there is no filter to check");
  return checkRows(accountd, port, filters[0]);
}

test("a filter is measured only if its pages are full", async () => {
  expect(filters.length).toBeGreaterThan(20);
  await checkOn(25);
  for (const length of [0, 24]) await expect(checkOn(length)).rejects.toThrow(`${length} rows instead of 25`);
});
