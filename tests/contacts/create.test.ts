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
