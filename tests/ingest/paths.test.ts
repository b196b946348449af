import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { emptyReceipt, eventWorld } from "../events/event-world.ts";
import type { Body } from "../support/world.ts";

const today = "2026-01-02";
const batchPaths = ["/v1/batch", "/v1/import", "/v1/b"];
const callPaths = { track: "t", identify: "i", group: "g", page: "p", alias: "a", screen: "s" };
const otherTypes = ["identify", "group", "page", "alias", "screen"] as const;
/** A track call, without its type. */
const call = { event: "clicked", userId: "u7", context: { groupId: "acme" } };
const accepted = { data: { ...emptyReceipt, accepted: 1, undeduplicated: 1 } };
const ignored = { data: { ...emptyReceipt, ignored: 1 } };

test.each(batchPaths)("%s takes a batch: track calls are events, other calls are ignored", async (path) => {
  const here = await eventWorld();
  const batch = [
    { ...call, type: "track" },
    { ...call, type: "page" },
  ];
  const { status, body } = await here.call("POST", path, { batch });
  expect([status, body]).toEqual([
    200,
    { data: { ...emptyReceipt, accepted: 1, ignored: 1, undeduplicated: 1 } },
  ]);
  expect(await here.usage()).toEqual([[today, "clicked", 1, 1]]);
  const { body: problem } = await here.call("POST", path, call);
  expect(problem).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/batch" }] });
});

test.each(["/v1/track", "/v1/t"])("%s takes one event, whatever its type says", async (path) => {
  const here = await eventWorld();
  for (const type of [undefined, "track", "page", 5])
    expect((await here.call("POST", path, { ...call, type })).body).toEqual(accepted);
  expect(await here.usage()).toEqual([[today, "clicked", 4, 1]]);
  const rejected = (await here.call("POST", path, { ...call, event: undefined })).body.data;
  expect(rejected).toEqual({
    ...emptyReceipt,
    rejected: 1,
    items: [{ index: 0, code: "required", detail: "event is required" }],
  });
});

test.each(otherTypes)("/v1/%s and its short path ignore a call, also one of type track", async (type) => {
  const here = await eventWorld();
  for (const path of [`/v1/${type}`, `/v1/${callPaths[type]}`])
    expect((await here.call("POST", path, { ...call, type: "track", traits: { name: "X" } })).body).toEqual(
      ignored,
    );
  expect(await here.rows("SELECT count(*) AS count FROM events")).toEqual([{ count: 0 }]);
});

test("every path takes the key in the body, in text/plain, as a form and in gzip; /api/v1 takes none of them", async () => {
  const here = await eventWorld();
  const keyed = { ...call, batch: [{ ...call, type: "track" }], writeKey: here.first.key };
  const single = Object.entries(callPaths).flatMap(([name, short]) => [`/v1/${name}`, `/v1/${short}`]);
  const send = async (path: string, body: string | Buffer<ArrayBuffer>, headers: Record<string, string>) => {
    const request = new Request(`http://localhost${path}`, { method: "POST", body, headers });
    return (await here.app.fetch(request)).status;
  };
  const form = "application/x-www-form-urlencoded";
  const [json, zipped] = [JSON.stringify(keyed), gzipSync(JSON.stringify(keyed))];
  for (const path of [...batchPaths, ...single]) {
    for (const type of ["application/json", "text/plain", "text/plain;charset=UTF-8", form])
      expect([path, type, await send(path, json, { "content-type": type })]).toEqual([path, type, 200]);
    const headers = { "content-type": form, "content-encoding": "gzip" };
    expect([path, await send(path, zipped, headers)]).toEqual([path, 200]);
    expect([path, await send(path, json, { "content-type": "text/html" })]).toEqual([path, 415]);
    const wrong = JSON.stringify({ ...keyed, writeKey: "wrong" });
    expect([path, await send(path, wrong, { "content-type": "text/plain" })]).toEqual([path, 401]);
  }
  const { body } = await here.call("POST", "/v1/batch", {}, { headers: { "content-type": "text/html" } });
  expect(body.detail).toStartWith("Send JSON with content-type: application/json, text/plain or ");
  for (const type of ["text/plain", form]) {
    const headers = { "content-type": type, "x-api-key": here.first.key };
    expect(await send("/api/v1/events", json, headers)).toBe(415);
  }
  expect(await here.usage()).toEqual([[today, "clicked", 5 * (batchPaths.length + 2), 1]]);
});

test("a body whose key it has is at most 512 KiB, on every path", async () => {
  const here = await eventWorld();
  const large = { ...call, writeKey: here.first.key, filler: "x".repeat(524_288) };
  for (const path of ["/v1/import", "/v1/track", "/v1/t"]) {
    expect((await here.call("POST", path, large, { key: null })).status).toBe(413);
    expect((await here.call("POST", path, { ...large, batch: [] })).status).toBe(200);
  }
});

test("without timestamp, originalTimestamp is the time of an event", async () => {
  const here = await eventWorld();
  const originalTimestamp = "2026-01-01T23:00:00.000Z";
  await here.call("POST", "/v1/track", { ...call, originalTimestamp });
  await here.call("POST", "/v1/track", { ...call, originalTimestamp, timestamp: "2026-01-02T01:00:00Z" });
  const usage = await here.usage();
  expect(usage.map(([day, , count]) => [day, count])).toEqual([
    ["2026-01-01", 1],
    [today, 1],
  ]);
});

test("a call has a dry run, and an Idempotency-Key", async () => {
  const here = await eventWorld();
  const dry = await here.call("POST", "/v1/track?dryRun=true", call);
  expect([dry.body, dry.headers.get("dry-run")]).toEqual([accepted, "true"]);
  const options = { headers: { "idempotency-key": "k1" } };
  const replies: Body[] = [];
  for (let i = 0; i < 2; i += 1) replies.push((await here.call("POST", "/v1/track", call, options)).body);
  expect(replies).toEqual([accepted, accepted]);
  expect(await here.usage()).toEqual([[today, "clicked", 1, 1]]);
});
