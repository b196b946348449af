import { expect, test } from "bun:test";
import { world } from "../support/world.ts";

const x = { externalId: "x", name: "X", email: "x@x.io" };
const y = { externalId: "y", name: "Y", email: "y@x.io" };
const [p, q] = [
  { externalId: "p", name: "P", email: "one@x.io" },
  { externalId: "q", name: "Q", email: "One@x.io" },
];

const cases = [
  ["another contact has it", "a", [{ ...x, email: "Y@x.io" }], "0/email contact_email_conflict"],
  [
    "it is exchanged",
    "a",
    [
      { ...x, email: y.email },
      { ...y, email: x.email },
    ],
    "0/email contact_email_conflict",
  ],
  [
    "it was left before",
    "a",
    [
      { ...y, email: "z@x.io" },
      { ...x, email: y.email },
    ],
    "updated",
  ],
  ["a new contact takes it", "a", [{ ...p, email: x.email }], "0/email contact_email_conflict"],
  ["two new contacts have one", "b", [p, q], "1/email contact_email_conflict"],
  ["a contact without an id has it, too", "b", [p, { name: "Q", email: q.email }], "created"],
  ["a contact changes it twice", "b", [p, { ...p, email: "two@x.io" }, q], "created"],
  [
    "an earlier contact has another problem",
    "a",
    [
      { ...p, attributes: { plan: 7 } },
      { ...x, email: y.email },
    ],
    "0/attributes/plan attribute_type_conflict",
  ],
  [
    "an earlier contact has attributes",
    "a",
    [
      { ...p, attributes: { plan: "free" } },
      { ...x, email: y.email },
    ],
    "1/email contact_email_conflict",
  ],
] as const;

test.each(cases)(
  "the address of a contact in a batch of accounts: %s",
  async (_, externalId, contacts, expected) => {
    const { call } = await world();
    const upsert = (accounts: object[]) => call("POST", "/api/v1/accounts/batch", { accounts });
    await upsert([{ externalId: "a", name: "A", contacts: [{ ...x, attributes: { plan: "pro" } }, y] }]);
    const before = (await call("GET", "/api/v1/contacts")).body;
    const other = { externalId: "c", name: "C", contacts: [{ externalId: "z", name: "Z", email: x.email }] };
    const { data } = (await upsert([{ externalId, name: externalId, contacts: [...contacts] }, other])).body;
    const [{ result, problem }, { result: ofOther }] = data.results;
    const [error] = problem?.errors ?? [];
    expect(error ? `${error.pointer.replace("/accounts/0/contacts/", "")} ${error.code}` : result).toBe(
      expected,
    );
    expect(ofOther).toBe("created");
    if (error) {
      const after = (await call("GET", "/api/v1/contacts")).body.data;
      expect(after.filter((row: { externalId: string }) => row.externalId !== "z")).toEqual(before.data);
    }
  },
);
