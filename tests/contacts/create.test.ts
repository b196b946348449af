import { expect, test } from "bun:test";
import { contactWorld } from "../resources/sub-resource-world.ts";
import { invalidRequest } from "../support/problems.ts";

test("email is an e-mail address of at most 254 characters, or null", async () => {
  const { create, contact, list } = await contactWorld();
  const longest = `${"a".repeat(60)}@${`${"b".repeat(59)}.`.repeat(3)}${"c".repeat(13)}`;
  expect(longest).toHaveLength(254);
  for (const email of ["a.b+c@sub.x.io", longest, null])
    expect((await contact({ name: "Ada", email })).email).toBe(email);
  for (const email of ["ada", "a b@x.io", "@x.io", "ada@", "a@b@x.io", "<ada@x.io>"])
    expect((await create({ name: "Ada", email })).body).toMatchObject(
      invalidRequest("/email", "invalid_email"),
    );
  expect((await create({ name: "Ada", email: `a${longest}` })).body).toMatchObject(
    invalidRequest("/email", "too_long"),
  );
  expect((await list()).body.pagination.total).toBe(3);
});

test("the embedded contacts of an account have only id, name and email, and are current", async () => {
  const { contact, patch, put, remove, embedded } = await contactWorld();
  await contact({ name: "Ada", email: "ada@x.io", externalId: "ada" });
  await put("bob", { accountId: 1, name: "Bob" });
  expect(await embedded()).toEqual([
    { id: 1, name: "Ada", email: "ada@x.io" },
    { id: 2, name: "Bob", email: null },
  ]);
  await patch(1, { name: "Ada Lovelace", email: null });
  await put("bob", { email: "bob@x.io" });
  expect(await embedded()).toEqual([
    { id: 1, name: "Ada Lovelace", email: null },
    { id: 2, name: "Bob", email: "bob@x.io" },
  ]);
  await put("bob", { accountId: 2 });
  expect([await embedded(1), await embedded(2)]).toEqual([
    [{ id: 1, name: "Ada Lovelace", email: null }],
    [{ id: 2, name: "Bob", email: "bob@x.io" }],
  ]);
  for (const id of [1, 2]) await remove(id);
  expect([await embedded(1), await embedded(2)]).toEqual([[], []]);
});
