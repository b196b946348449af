import { expect, test } from "bun:test";
import type { Body } from "../support/world.ts";
import { emptyReceipt, eventWorld } from "./event-world.ts";

const paths = ["/v1/batch", "/api/v1/events"];
const today = "2026-01-02";
/** A track call as Segment's SDK for Node writes it. */
const track = {
  type: "track",
  event: "Report Exported",
  userId: "u7",
  properties: { rows: 12 },
  context: { groupId: "acme", library: { name: "@segment/analytics-node", version: "2.3.0" } },
  timestamp: "2026-01-02T03:04:05.000Z",
  messageId: "node-next-1767323045000-c35a81e4",
  _metadata: { nodeVersion: "22.12.0", jsRuntime: "node" },
  integrations: {},
};

/** A world, and a function that sends a batch with Basic authentication, as the SDK does. */
async function segmentWorld(path: string) {
  const here = await eventWorld();
  const basic = (credentials: string) => ({
    key: null,
    headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
  });
  return {
    ...here,
    async batch(messages: unknown[], members: Body = {}) {
      const body = { batch: messages, writeKey: "ignored", sentAt: "2026-01-02T03:04:06.000Z", ...members };
      return here.call("POST", path, body, basic(`${here.first.key}:`));
    },
    basic,
  };
}

for (const path of paths) {
  test(`${path}: a track call with context.groupId is an event of the account with that externalId`, async () => {
    const { batch, usage, rows } = await segmentWorld(path);
    const reply = await batch([track]);
    expect([reply.status, reply.body]).toEqual([200, { data: { ...emptyReceipt, accepted: 1 } }]);
    expect(await usage()).toEqual([[today, "Report Exported", 1, 1]]);
    expect(await rows("SELECT message_id, timestamp, user_id, properties FROM events")).toEqual([
      {
        message_id: track.messageId,
        timestamp: Date.parse(track.timestamp),
        user_id: "u7",
        properties: '{"rows":12}',
      },
    ]);
  });

  test(`${path}: groupId of the call is the account if the context has none`, async () => {
    const { batch, usage } = await segmentWorld(path);
    const { data } = (
      await batch([
        { ...track, messageId: "1", context: {}, groupId: "acme" },
        { ...track, messageId: "2", context: undefined, groupId: "acme" },
        { ...track, messageId: "3", context: { groupId: null }, groupId: "acme" },
        { ...track, messageId: "4", groupId: "globex" },
      ])
    ).body;
    expect(data.accepted).toBe(4);
    expect(await usage(1)).toEqual([[today, "Report Exported", 4, 1]]);
  });

  test(`${path}: a null member of a call counts as absent`, async () => {
    const { batch, usage } = await segmentWorld(path);
    const nulls = { messageId: null, timestamp: null, userId: null, anonymousId: null, properties: null };
    const { data } = (
      await batch([
        { ...track, ...nulls, sentAt: null, originalTimestamp: null },
        { ...track, ...nulls, context: { groupId: null }, groupId: "acme" },
        { ...track, ...nulls, context: null, groupId: "acme" },
      ])
    ).body;
    expect(data).toMatchObject({ accepted: 3, items: [] });
    expect(await usage()).toEqual([[today, "Report Exported", 3, 0]]);
  });

  test(`${path}: a call that is not an object is rejected`, async () => {
    const { batch } = await segmentWorld(path);
    const { data } = (await batch([5, null, "track", [], track])).body;
    expect(data).toMatchObject({
      accepted: 1,
      rejected: 4,
      ignored: 0,
      items: [{ code: "wrong_type" }, {}, {}, {}],
    });
  });

  test(`${path}: identify, page, screen, group and alias calls are counted as ignored`, async () => {
    const { batch, usage, rows } = await segmentWorld(path);
    const types = ["identify", "page", "screen", "group", "alias", "Track", undefined, null, 5];
    const others = types.map((type, index) => ({ ...track, type, messageId: `m${index}` }));
    const reply = await batch([...others, track]);
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({ ...emptyReceipt, accepted: 1, ignored: others.length });
    expect(await usage()).toEqual([[today, "Report Exported", 1, 1]]);
    expect(await rows("SELECT count(*) AS count FROM events")).toEqual([{ count: 1 }]);
  });

  test(`${path}: a call with an unknown group is parked; one without a group is rejected`, async () => {
    const { batch, unmatched } = await segmentWorld(path);
    const { data } = (
      await batch([
        { ...track, messageId: "1", context: { groupId: "unknown" } },
        { ...track, messageId: "2", context: {} },
        { ...track, messageId: "3", context: { groupId: { id: 7 } } },
        { ...track, messageId: "4", event: "" },
        { ...track, messageId: "5" },
      ])
    ).body;
    expect(data).toMatchObject({ accepted: 1, parked: 1, rejected: 3, ignored: 0 });
    expect(data.items.map(({ index, code }: Body) => [index, code])).toEqual([
      [0, "parked"],
      [1, "no_account"],
      [2, "wrong_type"],
      [3, "too_short"],
    ]);
    expect(await unmatched()).toMatchObject([{ externalId: "unknown", count: 1 }]);
  });
}

test("both paths share their messageIds", async () => {
  const { batch, outcome } = await segmentWorld("/v1/batch");
  expect((await batch([track, track])).body.data).toMatchObject({ accepted: 1, duplicates: 1 });
  const { messageId } = track;
  expect(await outcome({ event: "opened", accountId: 1, messageId })).toBe("duplicate");
});

test("without userId, anonymousId is the user", async () => {
  const { batch, usage } = await segmentWorld("/v1/batch");
  const users = [
    { anonymousId: "a1" },
    { userId: null, anonymousId: "a1" },
    { userId: "u1", anonymousId: "a2" },
    {},
  ];
  await batch(users.map((user, i) => ({ ...track, userId: undefined, messageId: `${i}`, ...user })));
  expect(await usage()).toEqual([[today, "Report Exported", 4, 2]]);
});

test("a call is at most 32 KiB, including members that are not stored", async () => {
  const { batch } = await segmentWorld("/v1/batch");
  const large = { ...track, context: { groupId: "acme", userAgent: "x".repeat(32_768) } };
  const { data } = (await batch([large, { ...track, messageId: "2" }])).body;
  expect(data).toMatchObject({ accepted: 1, rejected: 1, items: [{ index: 0, code: "too_large" }] });
});

test("numbers are valid ids, and empty strings are absent", async () => {
  const { account, batch, usage } = await segmentWorld("/v1/batch");
  const { id } = await account({ name: "Seven", externalId: "7" });
  const identities = [
    { context: { groupId: 7 }, userId: 1 },
    { context: {}, groupId: 7, userId: "1" },
    { context: { groupId: "" }, groupId: "7", userId: "", anonymousId: 2 },
    { context: { groupId: 7 }, userId: "", anonymousId: "" },
  ];
  const { data } = (
    await batch(identities.map((identity, i) => ({ ...track, messageId: `${i}`, ...identity })))
  ).body;
  expect(data).toEqual({ ...emptyReceipt, accepted: 4 });
  expect(await usage(id)).toEqual([[today, "Report Exported", 4, 2]]);
});

test("without a key in a header, writeKey of the body is the key, only at /v1/batch", async () => {
  const { call, first, second, usage, unmatched } = await segmentWorld("/v1/batch");
  const body = (writeKey?: unknown) => ({ batch: [track], writeKey });
  const send = async (path: string, writeKey?: unknown, key: string | null = null) =>
    (await call("POST", path, body(writeKey), { key })).status;
  for (const writeKey of ["wrong", "", undefined, null, 5, { key: first.key }])
    expect(await send("/v1/batch", writeKey)).toBe(401);
  expect(await send("/api/v1/events", first.key)).toBe(401);
  expect(await send("/v1/batch", first.key, "wrong")).toBe(401);
  expect(await usage()).toEqual([]);
  expect(await send("/v1/batch", first.key)).toBe(200);
  expect(await usage()).toEqual([[today, "Report Exported", 1, 1]]);
  // A key in a header takes precedence.
  expect(await send("/v1/batch", first.key, second.key)).toBe(200);
  expect(await unmatched("", { key: second.key })).toMatchObject([{ externalId: "acme", count: 1 }]);
});

test("a group that is a safe integer is its decimal digits; other numbers are rejected", async () => {
  const { batch, unmatched } = await segmentWorld("/v1/batch");
  const groups = [7, -0, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, 1.5];
  const messages = groups.map((groupId, i) => ({ ...track, messageId: `m${i}`, context: { groupId } }));
  const { data } = (await batch(messages)).body;
  expect(data.items.map(({ code }: Body) => code)).toEqual([
    ...["parked", "parked", "parked"],
    ...["wrong_type", "wrong_type"],
  ]);
  const ids = (await unmatched()).map(({ externalId }: Body) => externalId);
  expect(ids).toEqual(["0", "7", "9007199254740991"]);
});
