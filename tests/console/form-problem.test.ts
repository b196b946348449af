import { expect, test } from "bun:test";
import { type Problem, ProblemError } from "../../clients/typescript/src/problem.ts";
import { formProblemOf, withoutField } from "../../src/console/app/editing/form-problem.ts";

type Violations = NonNullable<Problem["errors"]>;

function problemOf(code: Problem["code"], errors: Violations, detail = "Correct it."): ProblemError {
  const problem: Problem = {
    type: `urn:accountd:problem:${code}`,
    title: "",
    status: 400,
    detail,
    code,
    errors,
  };
  return new ProblemError(new Response(null, { status: 400 }), problem);
}

const pointerAt = (pointer: string, detail: string): Violations[number] => ({
  pointer,
  code: "wrong_type",
  detail,
});

test("a problem is at the field of its member, with the words of the form", () => {
  const error = problemOf("invalid_request", [
    pointerAt("/endAt", "must not be before startAt"),
    pointerAt("/attributes/plan", "must be a string, as in the other rows with this attribute"),
    pointerAt("/attributes/trial", "must be a boolean, as in the other rows with this attribute"),
  ]);
  expect(formProblemOf(error, () => true)).toEqual({
    text: "Correct the marked fields.",
    fields: new Map([
      ["endAt", "End must not be before Start."],
      ["attributes.plan", "plan must be a text, as in the other rows with this attribute."],
      ["attributes.trial", 'trial must be "Yes or no", as in the other rows with this attribute.'],
    ]),
    others: [],
  });
});

test("a problem of a member without a field is above the form, and nothing is said of marked fields", () => {
  const error = problemOf("invalid_request", [pointerAt("/requestedAt", "must not be after resolvedAt")]);
  expect(formProblemOf(error, () => false)).toEqual({
    text: "Correct it.",
    fields: new Map(),
    others: ["Requested must not be after Resolved."],
  });
});

test("the text of a problem without fields has the words of the form", () => {
  const error = problemOf("external_id_conflict", [], "Use another externalId, or update the account.");
  expect(formProblemOf(error, () => true)?.text).toBe("Use another External id, or update the account.");
  expect(formProblemOf(new TypeError(), () => true)).toBeUndefined();
});

test("a corrected field has no problem, and after the last one there is none", () => {
  const errors = [pointerAt("/name", "must not be empty"), pointerAt("/mrr", "must be a number")];
  const both = formProblemOf(problemOf("invalid_request", errors), () => true);
  const one = both && withoutField(both, "name");
  expect([...(one?.fields.keys() ?? [])]).toEqual(["mrr"]);
  expect(one?.text).toBe("Correct the marked fields.");
  expect(one && withoutField(one, "mrr")).toBeUndefined();
  const withOther = formProblemOf(problemOf("invalid_request", errors), (member) => member === "name");
  expect(withOther && withoutField(withOther, "name")?.others).toEqual(["MRR must be a number."]);
});
