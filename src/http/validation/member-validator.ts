import type { TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { invalidField } from "../../core/errors.ts";
import { checkText, pickMembers } from "../body/body.ts";
import { assertKnownMembers } from "../resource/prefer.ts";
import { asMembers } from "./items.ts";
import { invalidRequest } from "./validation-errors.ts";

/** Validates an object in a body by the rules for the body of a request. */
export class MemberValidator {
  readonly #shape: TObject;
  readonly #check: TypeCheck<TObject>;
  readonly #names: readonly string[];
  readonly #otherNames: readonly string[];

  /** `otherNames` are members that an object may have besides those of the shape. */
  constructor(shape: TObject, otherNames: readonly string[] = []) {
    this.#shape = shape;
    this.#check = TypeCompiler.Compile(shape);
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
    if (this.#check.Check(input)) return input;
    throw invalidRequest(this.#check.Errors(input), true);
  }
}
