import { expect, test } from "bun:test";
import {
  type Field,
  localTimeOf,
  readAttributes,
  readFields,
} from "../../src/console/app/editing/form-values.ts";
import { bodyOf, changesBetween, membersOf } from "../../src/console/app/editing/members.ts";

const row = {
  id: 1,
  name: "Acme",
  mrr: 5,
  logoUrl: null,
  contacts: [],
  attributes: { plan: "pro", seats: 5 },
};
const members = {
  id: 1,
  name: "Acme",
  mrr: 5,
  logoUrl: null,
  "attributes.plan": "pro",
  "attributes.seats": 5,
};

function formOf(...entries: [string, string][]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

test("The members of a row are its values and its attributes", () => {
  expect(membersOf(row)).toEqual(members);
});

test("Changes are the members that differ, and null for those that are gone", () => {
  const { "attributes.plan": _, ...rest } = members;
  const changes = changesBetween(members, { ...rest, mrr: 6, "attributes.owner": "Ada" });
  expect(changes).toEqual({ mrr: 6, "attributes.owner": "Ada", "attributes.plan": null });
  expect(bodyOf<unknown>(changes)).toEqual({ mrr: 6, attributes: { owner: "Ada", plan: null } });
  expect(changesBetween(members, members)).toEqual({});
});

const fields: Field[] = [
  { name: "name", kind: "text" },
  { name: "mrr", kind: "number" },
  { name: "startAt", kind: "time" },
  {
    name: "severity",
    kind: "choice",
    options: [
      [1, "1"],
      [2, "2"],
    ],
  },
];

test("A form that was not edited has the stored values, also those that an input cannot have", () => {
  const base = { name: "Two\nlines", mrr: 0.1, startAt: "2026-01-02T03:04:05.678Z", severity: 2 };
  const form = formOf(
    ["name", "Twolines"],
    ["mrr", "0.1"],
    ["startAt", localTimeOf(base.startAt)],
    ["severity", "2"],
  );
  expect(readFields(fields, form, base)).toEqual(base);
});

test("Edited inputs have the type of their member, and empty ones are null", () => {
  const form = formOf(["name", ""], ["mrr", "1e3"], ["startAt", "2026-05-06T07:08"], ["severity", "1"]);
  const startAt = new Date("2026-05-06T07:08").toISOString();
  expect(readFields(fields, form, { name: "Acme", severity: 2 })).toEqual({
    name: null,
    mrr: 1000,
    startAt,
    severity: 1,
  });
});

test("Attributes are those of the rows of the form, with their types", () => {
  const form = formOf(
    ...(["plan", "seats", "trial"] as const).map((name): [string, string] => ["attribute-name", name]),
    ["attribute-type", "string"],
    ["attribute-type", "number"],
    ["attribute-type", "boolean"],
    ["attribute-value", ""],
    ["attribute-value", "7"],
    ["attribute-value", "true"],
  );
  expect(readAttributes(form, { name: "Acme", "attributes.plan": "pro", "attributes.owner": "Ada" })).toEqual(
    {
      name: "Acme",
      "attributes.plan": "",
      "attributes.seats": 7,
      "attributes.trial": true,
    },
  );
});
