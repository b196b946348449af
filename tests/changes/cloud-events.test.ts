import { expect, test } from "bun:test";
import { CloudEvent, HTTP } from "cloudevents";
import { maxPageBytes } from "../../src/core/lists/json-rows.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import { type Change, changeWorld, path } from "./change-world.ts";
import { recordedWorld } from "./recorded-world.ts";

const batch = "application/cloudevents-batch+json";
type Reply = Awaited<ReturnType<Awaited<ReturnType<typeof changeWorld>>["call"]>>;

/** The events of a reply, as the SDK of CloudEvents parses and validates them. */
function eventsOf({ headers, body }: Pick<Reply, "headers" | "body">): CloudEvent<Change>[] {
  const message = { headers: Object.fromEntries(headers), body: JSON.stringify(body) };
  const events = HTTP.toEvent<Change>(message);
  if (!Array.isArray(events)) throw new Error("no batch");
  return events.map((event) => {
    if (!(event instanceof CloudEvent) || !event.validate()) throw new Error("no valid event");
    return event;
  });
}

function nextOf({ headers }: Pick<Reply, "headers">): string {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? "";
}

test("format=cloudevents returns a batch of events, one for each change, with the change as data", async () => {
  const { call, changes, first, send } = await recordedWorld();
  await send("PATCH", "/api/v1/accounts/1", { status: "churned" });
  await send("DELETE", "/api/v1/contacts/1");
  const reply = await call("GET", `${path}?format=cloudevents`);
  expect([reply.status, reply.headers.get("content-type")]).toEqual([200, batch]);
  const recorded = await changes();
  expect(reply.body).toEqual(
    recorded.map((change) => ({
      specversion: "1.0",
      id: String(change.sequence),
      source: `urn:accountd:organization:${first.id}`,
      type: change.type,
      subject: `${change.type.split(".")[0]}/${change.resourceId}`,
      time: change.time,
      datacontenttype: "application/json",
      data: change,
    })),
  );
  const events = eventsOf(reply);
  expect(events.map(({ id, data }) => [id, data])).toEqual(
    recorded.map((change) => [String(change.sequence), change]),
  );
  const { text, headers } = await call("GET", `${path}?format=accountd`);
  expect([text, headers.get("link")]).toEqual([(await call("GET", path)).text, null]);
});

test("Link has the next request, with all other parameters and the new position", async () => {
  const { call, changes } = await recordedWorld();
  const pages: string[][] = [];
  let at = `${path}?limit=2&format=cloudevents`;
  for (let next = ""; at !== next; ) {
    const reply = await call("GET", at);
    pages.push(eventsOf(reply).map(({ id }) => id));
    [next, at] = [at, nextOf(reply)];
  }
  expect(pages).toEqual([["1", "2"], ["3", "4"], ["5"], []]);
  expect(at).toBe(`${path}?limit=2&format=cloudevents&after=5`);
  const filtered = await call("GET", `${path}?after=0&format=cloudevents&resource=contact&action=created`);
  expect(eventsOf(filtered).map(({ type }) => type)).toEqual(["contact.created"]);
  const last = (await changes()).length;
  expect(nextOf(filtered)).toBe(`${path}?after=${last}&format=cloudevents&resource=contact&action=created`);
});

test("an organization without changes has an empty batch, and another format is 400", async () => {
  const { call } = await changeWorld();
  const reply = await call("GET", `${path}?format=cloudevents`);
  expect([reply.text, reply.headers.get("content-type"), nextOf(reply)]).toEqual([
    ...["[]", batch, `${path}?format=cloudevents&after=0`],
  ]);
  const unknown = await call("GET", `${path}?format=slack`);
  expect([unknown.status, unknown.body.errors]).toEqual([
    400,
    [{ parameter: "format", code: "not_allowed", detail: "must be one of accountd, cloudevents" }],
  ]);
});

test("HEAD has the headers of GET, and a batch is sent in gzip", async () => {
  const { call, app, first } = await recordedWorld();
  const at = `${path}?format=cloudevents`;
  const { text, headers } = await call("GET", at);
  const head = await call("HEAD", at);
  expect([head.status, head.text]).toEqual([200, ""]);
  for (const name of ["content-type", "link"]) expect(head.headers.get(name)).toBe(headers.get(name) ?? "");
  expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  const response = await createFetch(app.fetch)(
    new Request(`http://localhost${at}`, {
      headers: { "x-api-key": first.key, "accept-encoding": "gzip" },
    }),
  );
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect(new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()))).toBe(text);
});

test("a batch ends before 2 MiB, and the next one continues", async () => {
  const { call, send } = await changeWorld();
  const attributes = Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`a${i}`, "é".repeat(500)]));
  for (let from = 0; from < 75; from += 25) {
    const accounts = Array.from({ length: 25 }, (_, i) => ({
      ...{ externalId: `e${from + i}`, name: "Acme", attributes },
    }));
    await send("POST", "/api/v1/accounts/batch", { accounts });
  }
  const first = await call("GET", `${path}?format=cloudevents`);
  const bytes = Buffer.byteLength(first.text);
  expect([bytes <= maxPageBytes, bytes > maxPageBytes - 40_000]).toEqual([true, true]);
  const second = await call("GET", nextOf(first));
  const ids = [first, second].flatMap((reply) => eventsOf(reply).map(({ id }) => Number(id)));
  expect(ids).toEqual(Array.from({ length: 75 }, (_, i) => i + 1));
});
