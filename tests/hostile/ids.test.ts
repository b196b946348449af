import { expect, test } from "bun:test";
import { world } from "../support/world.ts";
import { furnish, routesOf } from "./routes.ts";

test("Any other text is a literal external id", async () => {
  const service = await world();
  await furnish(service);
  const texts = [
    "__proto__",
    "constructor",
    "external",
    "7",
    ":externalId",
    "*",
    "a/b",
    "../1",
    "a\\b",
    "%41",
  ];
  const marks = [
    " ",
    "a b",
    "+",
    "?",
    "#",
    "&=",
    "'; DROP TABLE contacts; --",
    '"',
    "\n",
    "ÉCLAIR",
    "éclair",
  ];
  const all = [...texts, ...marks, "\u202e", "😀".repeat(255), "x".repeat(255)];
  const puts = routesOf(service).filter(({ method }) => method === "PUT");
  expect(puts).toHaveLength(4);
  for (const { path, body } of puts) {
    const answers = [];
    for (const [i, text] of all.entries()) {
      const given = { ...body, ...(path.includes("contacts") && { email: `${i}@x.io` }) };
      const address = path.replace(":externalId", encodeURIComponent(text));
      const { status, body: reply } = await service.call("PUT", address, given);
      const found = await service.call("GET", address);
      answers.push([status, reply.data?.externalId, found.status, found.body.data?.id === reply.data?.id]);
    }
    expect(answers).toEqual(all.map((text) => [201, text, 200, true]));
    const deleted = [];
    for (const text of all) {
      const address = path.replace(":externalId", encodeURIComponent(text));
      deleted.push([
        (await service.call("DELETE", address)).status,
        (await service.call("GET", address)).status,
      ]);
    }
    expect(deleted).toEqual(all.map(() => [204, 404]));
  }
});
