import { expect, test } from "bun:test";
import { invalidRequest } from "../support/problems.ts";
import { beginningText } from "../support/world.ts";
import { ignored, subResourceCases } from "./sub-resource-cases.ts";
import { subResourceWorld } from "./sub-resource-world.ts";

const times = { createdAt: beginningText, updatedAt: beginningText };

for (const { noun, plural, label, required, optional, defaults, computed } of subResourceCases) {
  const open = () => subResourceWorld(plural);

  test(`POST creates a ${noun}: status 201, its fields in data, its path in Location`, async () => {
    const { create, call } = await open();
    const reply = await create({ ...required, ...optional, externalId: "x-7" });
    expect([reply.status, reply.headers.get("location")]).toEqual([201, `/api/v1/${plural}/1`]);
    expect(reply.body).toEqual({
      data: { id: 1, accountId: 1, externalId: "x-7", ...required, ...optional, ...computed, ...times },
    });
    const read = await call("GET", reply.headers.get("location") ?? "");
    expect([read.status, read.text]).toEqual([200, reply.text]);
  });

  test(`POST of a ${noun} needs the required members only, and ignores unknown and read-only ones`, async () => {
    const { create } = await open();
    expect((await create({ ...required, ...ignored, accountId: 1, lastSeenAt: 5 }, 2)).body).toEqual({
      data: { id: 1, accountId: 2, externalId: null, ...required, ...defaults, ...computed, ...times },
    });
  });

  test(`${label} of a ${noun} is 1 to 255 characters, not blank, and stored as sent`, async () => {
    const { create, created } = await open();
    for (const value of ["𝔸".repeat(255), "  E\u0301va \"q\" 'x' "])
      expect((await created({ ...required, [label]: value }))[label]).toBe(value);
    for (const [value, code] of [
      ["", "too_short"],
      [" \t\u2003", "blank"],
      ["𝔸".repeat(256), "too_long"],
    ] as const)
      expect((await create({ ...required, [label]: value })).body).toMatchObject(
        invalidRequest(`/${label}`, code),
      );
  });

  test(`externalId of a ${noun} is stored as sent; null and an empty string are stored as null`, async () => {
    const { created } = await open();
    for (const externalId of ["a", "A", " a", "é", "e\u0301", "🚀/%+ ", "𝔸".repeat(255)])
      expect((await created({ ...required, externalId })).externalId).toBe(externalId);
    for (const externalId of [null, "", null, ""])
      expect((await created({ ...required, externalId })).externalId).toBeNull();
  });

  test(`externalId of a ${noun} is unique within the organization, across accounts: 409`, async () => {
    const { create, created, call, account, list, second } = await open();
    const body = { ...required, externalId: "x-7" };
    const first = await created(body);
    for (const accountId of [1, 2]) {
      const reply = await create(body, accountId);
      expect(reply.body).toEqual({
        type: "urn:accountd:problem:external_id_conflict",
        title: "External id in use",
        status: 409,
        detail: `Use another externalId, or update the ${noun} that has this one.`,
        code: "external_id_conflict",
        errors: [
          { pointer: "/externalId", code: "external_id_conflict", detail: `is in use by another ${noun}` },
        ],
      });
      expect((await list("", accountId)).body.data).toEqual(accountId === 1 ? [first] : []);
    }
    const options = { key: second.key };
    const { id } = await account({ name: "Theirs" }, options);
    expect((await call("POST", `/api/v1/accounts/${id}/${plural}`, body, options)).status).toBe(201);
  });

  test(`20 concurrent POSTs of one externalId of a ${noun}: one 201, 19 times 409, one row`, async () => {
    const { create, list } = await open();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => create({ ...required, externalId: "same" })),
    );
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect((await list()).body.pagination.total).toBe(1);
  });
}
