import { expect, test } from "bun:test";
import { contactWorld, meetingWorld, requestWorld } from "./sub-resource-world.ts";

/** The sub-resources: the world of each, its main member, and the other required members. */
const kinds = [
  { plural: "contacts", open: contactWorld, label: "name", rest: {} },
  {
    plural: "meetings",
    open: meetingWorld,
    label: "title",
    rest: { startAt: "2026-01-05T10:00:00Z", endAt: "2026-01-05T11:00:00Z" },
  },
  { plural: "requests", open: requestWorld, label: "title", rest: {} },
];

/** External ids as other systems may have them. */
const texts = [
  "a/b",
  "a b",
  " ",
  "100%",
  "%2F",
  "é",
  "e\u0301",
  "É",
  "🚀",
  "a+b",
  "a?b#c",
  "a&b=c;d:e@f",
  "back\\slash",
  '"',
  "\n",
  "[1]",
  "{}",
  "12",
  "true",
  "null",
  "external",
  "constructor",
  "__proto__",
  "...",
];

for (const { plural, open, label, rest } of kinds) {
  const body = { accountId: 1, [label]: "Ada", ...rest };

  /** The world of a sub-resource, and a function that creates a row and returns the row of the reply. */
  async function opened() {
    const here = await open();
    const created = async (given: object) => {
      const reply = await here.create(given);
      expect(reply.status).toBe(201);
      return reply.body.data;
    };
    return { ...here, created };
  }

  test(`${plural}: PUT creates and updates by a percent-encoded externalId with any characters`, async () => {
    const { put, get, list } = await opened();
    for (const [i, text] of texts.entries()) {
      const made = await put(text, { ...body, [label]: `First ${i}` });
      expect([made.status, made.body.data]).toMatchObject([201, { id: i + 1, externalId: text }]);
    }
    for (const [i, text] of texts.entries()) {
      const changed = await put(text, { [label]: `Changed ${i}` });
      expect([changed.status, changed.body.data.id]).toEqual([200, i + 1]);
      expect((await get(i + 1)).body.data).toEqual(changed.body.data);
      const found = (await list(`?externalId=${encodeURIComponent(text)}`)).body;
      expect([found.data, found.pagination.total]).toEqual([[changed.body.data], 1]);
    }
    expect((await list()).body.pagination.total).toBe(texts.length);
  });

  test(`${plural}: a plus in the path is literal, and every character may be percent-encoded`, async () => {
    const { call, created } = await opened();
    const { id } = await created({ ...body, externalId: "a+b" });
    for (const encoded of ["a+b", "a%2Bb", "%61%2b%62"]) {
      const reply = await call("PUT", `/api/v1/${plural}/external/${encoded}`, { [label]: encoded });
      expect([reply.status, reply.body.data.id]).toEqual([200, id]);
    }
  });

  test(`${plural}: an externalId in the path has 1 to 255 characters`, async () => {
    const { put, call } = await opened();
    for (const longest of ["a".repeat(255), "𝔸".repeat(255), "/".repeat(255)])
      expect((await put(longest, body)).body.data.externalId).toBe(longest);
    for (const longer of ["a".repeat(256), "𝔸".repeat(256), "/".repeat(256)])
      expect((await put(longer, body)).body).toMatchObject({
        status: 400,
        errors: [{ parameter: "externalId", code: "too_long" }],
      });
    expect((await put("", body)).status).toBe(404);
    for (const ill of ["%", "%zz", "%ff", "%00", "%ED%A0%80"])
      expect((await call("PUT", `/api/v1/${plural}/external/${ill}`, body)).body.code).toBe("malformed_url");
  });

  test(`${plural}: after a cleared or deleted externalId, PUT creates again`, async () => {
    const { put, created, patch, remove, get } = await opened();
    for (const none of [null, ""]) {
      const externalId = `cleared by ${none}`;
      const first = await created({ ...body, externalId });
      await patch(first.id, { externalId: none });
      const second = await put(externalId, { ...body, [label]: "Bob" });
      expect(second.status).toBe(201);
      await remove(second.body.data.id);
      expect((await put(externalId, { ...body, [label]: "Eve" })).status).toBe(201);
      expect((await get(first.id)).body.data).toMatchObject({ [label]: "Ada", externalId: null });
    }
  });

  test(`${plural}: 50 concurrent PUTs of a new externalId: one 201, 49 times 200, one row`, async () => {
    const { put, list } = await opened();
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => put("crm-7", { ...body, [label]: `First ${i}` })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([...Array(49).fill(200), 201]);
    const shown = replies.map((reply) => reply.body.data);
    expect(new Set(shown.map((one) => one.id)).size).toBe(1);
    expect(new Set(shown.map((one) => one.updatedAt)).size).toBe(50);
    const { data, pagination } = (await list()).body;
    expect([data.length, pagination.total]).toEqual([1, 1]);
    const [last] = shown.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    expect(data).toEqual([last]);
  });

  test(`${plural}: GET and DELETE by externalId compare byte for byte`, async () => {
    const { created, call } = await opened();
    const at = (externalId: string) => `/api/v1/${plural}/external/${encodeURIComponent(externalId)}`;
    const { accountId: _, ...members } = body;
    const made = await Promise.all(texts.map((externalId) => created({ ...members, externalId })));
    for (const [index, externalId] of texts.entries()) {
      const { status, body } = await call("GET", at(externalId));
      expect([status, body.data]).toEqual([200, made[index]]);
    }
    const deleted = await call("DELETE", at("é"));
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    for (const method of ["GET", "DELETE"]) {
      const { status, body } = await call(method, at("é"));
      expect([status, body.code, body.detail]).toEqual([
        404,
        "not_found",
        `There is no ${plural.slice(0, -1)} with this externalId in your organization.`,
      ]);
    }
    const composed = made[texts.indexOf("e\u0301")];
    expect((await call("GET", at("e\u0301"))).body.data).toEqual(composed);
    const again = await call("PUT", at("é"), body);
    expect([again.status, again.body.data.id]).not.toEqual([200, made[texts.indexOf("é")]?.id]);
    expect(again.status).toBe(201);
  });
}
