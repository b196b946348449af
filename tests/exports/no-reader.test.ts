import { expect, test } from "bun:test";
import { LateRead, NoReader, QueryTimeout, TooManyReads } from "../../db/errors.ts";
import { world } from "../support/world.ts";

const path = "/api/v1/accounts.jsonl?search=account&sortBy=name&end=true";

const tooMany = new TooManyReads("Too many slow reads of the organization are waiting.");

/** A world with accounts for three parts, in which the reads from the second part on find no reader. */
async function busyWorld(error: Error = tooMany) {
  const here = await world();
  const accounts = Array.from({ length: 450 }, (_, i) => ({ externalId: `${i}`, name: `Account ${i}` }));
  await here.call("POST", "/api/v1/accounts/batch", { accounts });
  const { text } = await here.call("GET", path);
  const { engine } = here;
  const read = engine.read.bind(engine);
  let [isBusy, readCount, refusedCount] = [true, 0, 0];
  engine.read = (fn, options) => {
    if (options?.place !== "reader") return read(fn, options);
    readCount += 1;
    if (readCount === 1 || !isBusy) return read(fn, options);
    refusedCount += 1;
    return Promise.reject(error);
  };
  return {
    ...here,
    text,
    refusedCount: () => refusedCount,
    end: () => {
      isBusy = false;
    },
  };
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await Bun.sleep(5);
}

test.each([
  ["too many others wait", tooMany],
  ["it waited for most of its time", new LateRead("The read took too long.")],
])("a later part of an export is read again when %s, and the export is complete", async (_, error) => {
  const { call, text, refusedCount, end } = await busyWorld(error);
  expect(text.trimEnd().split("\n")).toHaveLength(451);
  const reply = call("GET", path);
  await until(() => refusedCount() >= 3);
  end();
  expect((await reply).text).toBe(text);
});

test.each([
  ["cannot be started", new NoReader("No reader can be started.")],
  ["took too long", new QueryTimeout("The read took too long.")],
])("an export ends when the reader of a later part %s", async (_, error) => {
  const { call, refusedCount } = await busyWorld(error);
  await expect(call("GET", path)).rejects.toBe(error);
  expect(refusedCount()).toBe(1);
});

test("an export without a reader ends with its client", async () => {
  const { app, first, refusedCount } = await busyWorld();
  const response = await app.fetch(
    new Request(`http://localhost${path}`, { headers: { "x-api-key": first.key } }),
  );
  const reader = response.body?.getReader();
  await reader?.read();
  const rest = reader?.read();
  await until(() => refusedCount() >= 2);
  await reader?.cancel();
  expect(await rest).toMatchObject({ done: true });
  await Bun.sleep(300);
  const count = refusedCount();
  await Bun.sleep(300);
  expect(refusedCount()).toBe(count);
});

test("the first part of an export that finds no reader is 503 too_busy", async () => {
  const { call, engine } = await busyWorld();
  engine.read = () => Promise.reject(tooMany);
  const { status, body } = await call("GET", path);
  expect([status, body.code]).toEqual([503, "too_busy"]);
});
