import type { TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { checkText, pickMembers } from "../body/body.ts";
import { assertKnownMembers } from "../resource/prefer.ts";
import { requireMembers } from "./items.ts";
import { invalidRequest } from "./validation-errors.ts";

/** Returns the check of a shape, compiled at its first use: most processes need few of them. */
export function checkOf(shape: TObject): () => TypeCheck<TObject> {
  let check: TypeCheck<TObject> | undefined;
  return () => {
    check ??= TypeCompiler.Compile(shape);
    return check;
  };
}

/**
 * Returns a function that validates an object in a body by the rules for the body of a request, and returns the members of
 * the shape. It throws `invalid_request`, and under strict handling `unknown_member`. `otherNames` are members that an
 * object may have besides them.
 */
export function createMemberValidator(shape: TObject, otherNames: readonly string[] = []) {
  const names = Object.keys(shape.properties);
  const readCheck = checkOf(shape);
  return (value: unknown, isStrict: boolean): object => {
    const members = requireMembers(value);
    checkText(members, shape);
    if (isStrict) assertKnownMembers(members, [...names, ...otherNames], "");
    const input = pickMembers(members, names);
    const check = readCheck();
    if (check.Check(input)) return input;
    throw invalidRequest(check.Errors(input), true);
  };
}
