import type { TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { invalidField } from "../../core/errors.ts";
import { checkText, pickMembers } from "../body/body.ts";
import { assertKnownMembers } from "../resource/prefer.ts";
import { asMembers } from "./items.ts";
import { invalidRequest } from "./validation-errors.ts";

/** Returns the check of a shape, compiled at its first use: most processes need few of them. */
export function checkOf(shape: TObject): () => TypeCheck<TObject> {
  let check: TypeCheck<TObject> | undefined;
  return () => {
    check ??= TypeCompiler.Compile(shape);
    return check;
  };
}

/** Validates an object in a body by the rules for the body of a request. */
export class MemberValidator {
  readonly #shape: TObject;
  readonly #check: () => TypeCheck<TObject>;
  readonly #names: readonly string[];
  readonly #otherNames: readonly string[];

  /** `otherNames` are members that an object may have besides the members of the shape. */
  constructor(shape: TObject, otherNames: readonly string[] = []) {
    this.#shape = shape;
    this.#check = checkOf(shape);
    this.#names = Object.keys(shape.properties);
    this.#otherNames = otherNames;
  }

  /** The members of the shape. Throws `invalid_request`, and under strict handling `unknown_member`. */
  validate(value: unknown, isStrict: boolean): object {
    const members = asMembers(value);
    if (!members) throw invalidField("", "wrong_type", "must be an object");
    checkText(members, this.#shape);
    if (isStrict) assertKnownMembers(members, [...this.#names, ...this.#otherNames], "");
    const input = pickMembers(members, this.#names);
    const check = this.#check();
    if (check.Check(input)) return input;
    throw invalidRequest(check.Errors(input), true);
  }
}
