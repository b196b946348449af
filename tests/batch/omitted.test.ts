import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const mebibyte = 1_048_576;
/** Attributes of about 30 KB. */
const large = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`a${i}`, "é".repeat(300)]));

async function withLargeContact() {
  const here = await world();
  const account = await here.call("POST", "/api/v1/accounts", { name: "A" });
  const contact = await here.call("POST", `/api/v1/accounts/${account.body.data.id}/contacts`, {
    name: "Ada",
    attributes: large,
  });
  expect(contact.status).toBe(201);
  const { id } = contact.body.data;
  const patches = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      method: "PATCH",
      path: `/api/v1/contacts/${id}`,
      body: { name: `Ada ${i}` },
    }));
  return { ...here, id, patches };
}

test.each(["partial", "atomic"])(
  "a %s batch has the rows of its first 4 MiB, and ids after it",
  async (mode) => {
    const { call, id, patches } = await withLargeContact();
    const operations = [
      ...patches(200),
      { method: "POST", path: "/api/v1/accounts", body: { name: "B" } },
      { method: "DELETE", path: `/api/v1/contacts/${id}` },
    ];
    const { status, text, body } = await call("POST", "/api/v1/batch", { mode, operations });
    expect(status).toBe(200);
    expect(text.length).toBeLessThan(4 * mebibyte + 20_000);
    const { results } = body.data;
    expect(body.data).toMatchObject({ succeeded: 202, failed: 0 });
    const omitted = results.findIndex((result: object) => "omitted" in result);
    expect(omitted).toBeGreaterThan(100);
    for (const [i, result] of results.slice(0, omitted).entries())
      expect(result).toMatchObject({
        status: 200,
        body: { data: { id, name: `Ada ${i}`, attributes: large } },
      });
    for (const result of results.slice(omitted, 200))
      expect(result).toEqual({ status: 200, body: { data: { id } }, omitted: true });
    const newId = expect.any(Number);
    expect(results[200]).toEqual({ status: 201, body: { data: { id: newId } }, omitted: true });
    expect(results[201]).toEqual({ status: 204, body: null });
    expect((await call("GET", `/api/v1/contacts/${id}`)).status).toBe(404);
  },
);

test("a problem after the first 4 MiB has no errors", async () => {
  const { call, patches } = await withLargeContact();
  const invalid = { method: "POST", path: "/api/v1/accounts", body: { name: 1 } };
  const operations = [invalid, ...patches(250), ...Array.from({ length: 100 }, () => invalid)];
  const { body } = await call("POST", "/api/v1/batch", { mode: "partial", operations });
  expect(body.data).toMatchObject({ succeeded: 250, failed: 101 });
  const [first] = body.data.results;
  const last = body.data.results.at(-1);
  expect(first.body.errors).toHaveLength(1);
  expect(last).toEqual({ status: 400, body: { ...first.body, errors: undefined } });
});

test("the replay of a batch over 256 KiB has the ids of its rows, and its problems", async () => {
  const { call, id, patches, rows } = await withLargeContact();
  const invalid = { method: "POST", path: "/api/v1/accounts", body: { name: 1 } };
  const send = (count: number) =>
    call(
      "POST",
      "/api/v1/batch",
      { mode: "partial", operations: [...patches(count), invalid] },
      { headers: { "idempotency-key": `batch-${count}` } },
    );
  const small = await send(5);
  const smallReplay = await send(5);
  expect(smallReplay.headers.get("idempotent-replayed")).toBe("true");
  expect(smallReplay.body).toEqual(small.body);
  const first = await send(100);
  expect(first.body.data.results[99].body.data.attributes).toEqual(large);
  const replay = await send(100);
  expect(replay.headers.get("idempotent-replayed")).toBe("true");
  expect(replay.body.data).toMatchObject({ succeeded: 100, failed: 1 });
  for (const result of replay.body.data.results.slice(0, 100))
    expect(result).toEqual({ status: 200, body: { data: { id } }, omitted: true });
  expect(replay.body.data.results[100]).toEqual(first.body.data.results[100]);
  const [stored] = await rows<{ length: number }>("select max(length(body)) as length from idempotency_keys");
  expect(Number(stored?.length)).toBeLessThan(262_144);
});
