import { expect, test } from "bun:test";
import { ignored, laterText, type SubResourceCase, subResourceCases } from "./sub-resource-cases.ts";
import { subResourceWorld } from "./sub-resource-world.ts";

/** A world with one row, one second after its creation, and a function that patches it. */
async function worldWithRow({ plural, required, optional }: SubResourceCase) {
  const here = await subResourceWorld(plural);
  const before = await here.created({ ...required, ...optional, externalId: "x-7" });
  here.pass(1000);
  return { ...here, before, change: (changes: unknown) => here.patch(before.id, changes) };
}

for (const resource of subResourceCases) {
  const { noun, plural, label, required, optional, changed, computedChanged, nullable } = resource;
  const open = () => worldWithRow(resource);

  test(`PATCH returns 200 and the ${noun}; updatedAt reflects the change`, async () => {
    const { change, get, before } = await open();
    const reply = await change({ ...changed, externalId: "x-8" });
    expect(reply.status).toBe(200);
    const computed = { ...computedChanged, updatedAt: laterText };
    expect(reply.body).toEqual({ data: { ...before, ...changed, externalId: "x-8", ...computed } });
    expect((await get(before.id)).text).toBe(reply.text);
  });

  for (const [member, value] of Object.entries({ ...changed, externalId: "other" })) {
    const isNullable = nullable.includes(member) || member === "externalId";

    test(`PATCH ${member} of a ${noun}: a value sets it and leaves the others; null is ${isNullable ? 200 : 400}`, async () => {
      const { change, get, before } = await open();
      const computed = member === "status" ? computedChanged : {};
      const after = { ...before, [member]: value, ...computed, updatedAt: laterText };
      const reply = await change({ [member]: value });
      expect(reply.body).toEqual({ data: after });
      expect((await get(before.id)).text).toBe(reply.text);
      const nulled = await change({ [member]: null });
      expect(nulled.status).toBe(isNullable ? 200 : 400);
      if (isNullable) expect(nulled.body.data).toMatchObject({ [member]: null });
      else {
        expect(nulled.body.errors).toMatchObject([{ pointer: `/${member}`, code: "wrong_type" }]);
        expect((await get(before.id)).body).toEqual({ data: after });
      }
    });
  }

  test(`PATCH externalId in use by another ${noun} of the organization is 409, and changes nothing`, async () => {
    const { change, created, put, account, get, before, second } = await open();
    await created({ ...required, externalId: "other" }, 2);
    const theirs = await account({ name: "Theirs" }, { key: second.key });
    await put("theirs", { accountId: theirs.id, ...required }, { key: second.key });
    const reply = await change({ [label]: "Changed", externalId: "other" });
    expect([reply.status, reply.body.code]).toEqual([409, "external_id_conflict"]);
    expect((await get(before.id)).body.data).toEqual(before);
    expect((await change({ externalId: "theirs" })).status).toBe(200);
  });

  test(`PATCH of a ${noun} without a valid member is 400; unknown and read-only members do not count`, async () => {
    const { change, get, before } = await open();
    for (const body of [{}, { ...ignored, accountId: 2, lastSeenAt: null }])
      expect((await change(body)).body).toEqual({
        type: "urn:accountd:problem:no_valid_fields",
        title: "No valid fields",
        status: 400,
        detail:
          "Send at least one of the fields that /docs lists for this operation. With Prefer: handling=strict, the response names the valid ones.",
        code: "no_valid_fields",
      });
    expect((await get(before.id)).body.data).toEqual(before);
    const { body } = await change({ [label]: "Other", ...ignored, accountId: 2 });
    expect(body).toEqual({ data: { ...before, [label]: "Other", updatedAt: laterText } });
  });

  test(`a PATCH without a change leaves updatedAt of a ${noun}; a change increases it, also within a millisecond`, async () => {
    const { change, before } = await open();
    const all = { ...required, ...optional, externalId: "x-7" };
    for (const body of [all, ...Object.entries(all).map(([name, value]) => ({ [name]: value }))])
      expect((await change(body)).body.data).toEqual(before);
    const times: string[] = [];
    for (const value of ["a", "b", "c", "d"])
      times.push((await change({ [label]: value })).body.data.updatedAt);
    expect(times).toEqual([678, 679, 680, 681].map((ms) => `2026-01-02T03:04:06.${ms}Z`));
  });

  test(`DELETE of a ${noun} is 204 without a body; then it is 404, and its id is not reused`, async () => {
    const { created, remove, get, patch, list, call, before } = await open();
    const kept = await created(required);
    const deleted = await created(required);
    const reply = await remove(deleted.id);
    expect([reply.status, reply.text, reply.headers.get("content-type")]).toEqual([204, "", null]);
    for (const again of [await remove(3), await get(3), await patch(3, { [label]: "Other" })])
      expect(again.body).toEqual({
        type: "urn:accountd:problem:not_found",
        title: "Not found",
        status: 404,
        detail: `There is no ${noun} with this id in your organization.`,
        code: "not_found",
      });
    await remove(before.id);
    expect((await list()).body.data).toEqual([kept]);
    expect((await call("GET", `/api/v1/${plural}`)).body.data).toEqual([kept]);
    expect((await created(required)).id).toBe(4);
    const both = await Promise.all([remove(kept.id), remove(kept.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual([204, 404]);
  });
}
