import { afterEach, expect, test } from "bun:test";
import { checkRows } from "./rounds.ts";
import { sample } from "./sample.ts";
import { serve, stopServing } from "./test-server.ts";
import { works } from "./work.ts";

const checkedLists = works(sample).filter(({ rows }) => rows !== undefined);

afterEach(stopServing);

/** Checks a list against a server whose lists have this number of rows. */
function checkOn(length: number): Promise<void> {
  stopServing();
  const body = JSON.stringify({ data: Array.from({ length }, (_, id) => ({ id })) });
  const port = serve((_, send) => send(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
  if (!checkedLists[0]) throw new Error("there is no list to check");
  return checkRows(port, checkedLists[0]);
}

test("a list is measured only if its pages are full", async () => {
  expect(checkedLists.length).toBeGreaterThan(5);
  await checkOn(25);
  for (const length of [0, 24]) await expect(checkOn(length)).rejects.toThrow(`${length} rows instead of 25`);
});
