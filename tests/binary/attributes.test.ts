import { expect, setDefaultTimeout, test } from "bun:test";
import { output, run } from "./binary.ts";
import { sendRequest, service } from "./service.ts";

setDefaultTimeout(60_000);

const setType = (...args: string[]) => ["attributes", "set-type", ...args, "--organization", "Acme"];
const list = (cwd: string, ...args: string[]) =>
  output(["attributes", "list", "--organization", "Acme", ...args], { cwd });

test("attributes list and set-type work next to a server and without one, as the routes do", async () => {
  const { cwd, url, send, server } = await service();
  const admin = await output(["keys", "create", "--organization", "Acme", "--scope", "admin"], { cwd });
  for (const [id, seats] of [
    ["a", "5"],
    ["b", "6"],
  ] as const)
    await send("PUT", `/api/v1/accounts/external/${id}`, { name: "A", attributes: { seats, plan: "pro" } });
  const label = { type: "string", label: "Seats", description: "Of the contract" };
  expect((await sendRequest(url, admin, "PUT", "/api/v1/attributes/seats", label)).status).toBe(200);
  expect(await list(cwd)).toBe(
    "NAME   TYPE    COUNT  LABEL  PENDING\nplan   string  2      -      -\nseats  string  2      Seats  false",
  );
  const refused = await run(setType("seats", "number", "--json"), { cwd });
  expect([refused.code, JSON.parse(refused.stderr).error]).toEqual([
    1,
    {
      code: "attribute_values_conflict",
      message: expect.stringContaining("The type must fit all stored values; number of others: 2."),
    },
  ]);
  expect(refused.stderr).toContain("With --convert, texts are converted to the type.");
  const unconverted = await run(setType("plan", "number", "--convert"), { cwd });
  expect([unconverted.code, unconverted.stderr]).toEqual([1, expect.not.stringContaining("convert")]);
  expect(await output(setType("seat", "number"), { cwd })).toBe(
    "attributes.seat of accounts is a new attribute, of the type number.",
  );
  expect(await output(setType("seats", "number", "--convert"), { cwd })).toBe(
    "attributes.seats of accounts has the type number. A job of the server converts its texts.",
  );
  await server.stop();
  expect(JSON.parse(await list(cwd, "--json"))[2]).toMatchObject({
    name: "seats",
    type: "number",
    label: "Seats",
  });
  // Without a server, in this process.
  const declared = await output(setType("renewal", "date", "--resource", "contacts", "--json"), { cwd });
  expect(JSON.parse(declared)).toMatchObject({ name: "renewal", type: "date", count: 0, pending: false });
  expect(await list(cwd, "--resource", "contacts")).toContain("renewal  date  0");
  for (const [args, message] of [
    [setType("9", "number"), "The attribute's NAME must be 1 to 64 letters"],
    [setType("seats", "money"), "The TYPE must be string, number, boolean, date."],
    [setType("seats"), "The TYPE is missing."],
    [["attributes", "set-type", "seats", "number"], "--organization NAME|ID is missing."],
  ] as const) {
    const { code, stderr } = await run([...args], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  const nobody = await run(["attributes", "list", "--organization", "Nobody"], { cwd });
  expect([nobody.code, nobody.stderr]).toEqual([1, expect.stringContaining("There is no organization")]);
});
