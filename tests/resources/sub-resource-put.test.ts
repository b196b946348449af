import { expect, test } from "bun:test";
import { beginningText } from "../support/world.ts";
import { ignored, laterText, subResourceCases } from "./sub-resource-cases.ts";
import { subResourceWorld } from "./sub-resource-world.ts";

for (const resource of subResourceCases) {
  const { noun, plural, label, required, optional, defaults, computed, changed, computedChanged } = resource;
  const open = () => subResourceWorld(plural);
  const whole = { ...required, ...optional };

  test(`PUT creates the ${noun} with this externalId: status 201, its path in Location`, async () => {
    const { put, call } = await open();
    const reply = await put("x-7", { accountId: 2, ...required, ...ignored, externalId: "other" });
    expect([reply.status, reply.headers.get("location")]).toEqual([201, `/api/v1/${plural}/1`]);
    const times = { createdAt: beginningText, updatedAt: beginningText };
    expect(reply.body).toEqual({
      data: { id: 1, accountId: 2, externalId: "x-7", ...required, ...defaults, ...computed, ...times },
    });
    expect((await call("GET", `/api/v1/${plural}/1`)).text).toBe(reply.text);
  });

  test(`PUT updates the ${noun} with this externalId: status 200, also if it was created by POST`, async () => {
    const { put, created, get, pass, list } = await open();
    const before = await created({ ...whole, externalId: "x-7" });
    pass(1000);
    const reply = await put("x-7", { accountId: 1, ...changed });
    expect([reply.status, reply.headers.get("location")]).toEqual([200, null]);
    expect(reply.body).toEqual({
      data: { ...before, ...changed, ...computedChanged, updatedAt: laterText },
    });
    expect((await get(before.id)).text).toBe(reply.text);
    expect((await list()).body.pagination.total).toBe(1);
  });

  test(`PUT of a ${noun} leaves absent members unchanged, without defaults, and the account`, async () => {
    const { put, created, pass } = await open();
    let before = await created({ ...whole, externalId: "x-7" });
    for (const [name, value] of Object.entries({ ...changed, accountId: 2 })) {
      pass(1000);
      const after = (await put("x-7", { [name]: value })).body.data;
      const resolved = "resolvedAt" in after ? { resolvedAt: after.resolvedAt } : {};
      expect(after).toEqual({ ...before, [name]: value, ...resolved, updatedAt: after.updatedAt });
      expect(after.updatedAt > before.updatedAt).toBe(true);
      before = after;
    }
  });

  test(`a PUT without a change leaves updatedAt of a ${noun}; a PUT with a change increases it`, async () => {
    const { put, pass } = await open();
    const body = { accountId: 1, ...whole };
    const before = (await put("x-7", body)).body.data;
    const after = { ...before, [label]: "Other", updatedAt: "2026-01-02T03:04:05.679Z" };
    expect((await put("x-7", { ...body, [label]: "Other" })).body.data).toEqual(after);
    pass(1000);
    for (const same of [{ ...body, [label]: "Other" }, { accountExternalId: "acme" }, {}]) {
      const reply = await put("x-7", same);
      expect([reply.status, reply.body.data]).toEqual([200, after]);
    }
  });

  test(`PUT of a new ${noun} requires ${Object.keys(required)} and an account`, async () => {
    const { put, list } = await open();
    const absentIn = async (body: object) => {
      const reply = await put("new", body);
      expect([reply.status, reply.body.code]).toEqual([400, "invalid_request"]);
      return reply.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => {
        expect(code).toBe("required");
        return pointer;
      });
    };
    const names = Object.keys(required).map((name) => `/${name}`);
    expect(await absentIn({})).toEqual(["/accountId", ...names]);
    expect(await absentIn(required)).toEqual(["/accountId"]);
    expect(await absentIn({ accountExternalId: "acme" })).toEqual(names);
    const { [label]: _, ...others } = required;
    expect(await absentIn({ accountId: 1, ...others })).toEqual([`/${label}`]);
    expect((await list()).body.data).toEqual([]);
  });

  test(`accountId or accountExternalId is the account; another account moves the ${noun} there`, async () => {
    const { put, list, pass } = await open();
    const created = await put("x-7", { accountExternalId: "acme", ...required });
    expect([created.status, created.body.data.accountId]).toEqual([201, 1]);
    pass(1000);
    const after = { ...created.body.data, accountId: 2, updatedAt: laterText };
    const moved = await put("x-7", { accountExternalId: "globex" });
    expect([moved.status, moved.body.data]).toEqual([200, after]);
    expect([(await list("", 1)).body.data, (await list("", 2)).body.data]).toEqual([[], [after]]);
    expect((await put("x-7", { accountId: 1 })).body.data.accountId).toBe(1);
    expect((await put("x-7", { accountId: 2, accountExternalId: "acme" })).body.data.accountId).toBe(2);
  });
}
