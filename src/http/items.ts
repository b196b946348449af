import { type ItemCode, Problem, type ViolationCode } from "../core/errors.ts";
import { isStorable } from "./body.ts";
import { type Constraints, validate } from "./constraints.ts";

/** Why one item of a request is not among those accepted. It never holds the item's values. */
export type ItemError = { code: ItemCode; detail: string };

/** The array at a member of the body. Throws `invalid_request` when there is none, or one of more than `most`. */
export function readItems(body: Record<string, unknown>, name: string, most: number): unknown[] {
  const items = body[name];
  if (items === undefined) throw invalidItems(name, "required", "is required");
  if (!Array.isArray(items)) throw invalidItems(name, "wrong_type", "must be an array");
  if (items.length > most) throw invalidItems(name, "too_many", `must hold at most ${most}`);
  return items;
}

function invalidItems(name: string, code: ViolationCode, detail: string): Problem {
  return new Problem("invalid_request", { errors: [{ pointer: `/${name}`, code, detail }] });
}

/** The item's members; undefined when it is no object. */
export function asMembers(item: unknown): Record<string, unknown> | undefined {
  // Safe: an object has members, of unknown values.
  return typeof item === "object" && item !== null && !Array.isArray(item) ? (item as never) : undefined;
}

/** What is wrong with an item's members, the first of it; only those that are `required` may not be absent. */
export function validateMembers<Name extends string>(
  rules: Record<Name, Constraints>,
  required: readonly NoInfer<Name>[],
  members: Record<string, unknown>,
): ItemError | undefined {
  for (const name in rules) {
    const value = members[name];
    if (value === undefined) {
      if (required.includes(name)) return { code: "required", detail: `${name} is required` };
      continue;
    }
    const refusal = validate(rules[name], value);
    if (refusal) return { code: refusal.code, detail: `${name} ${refusal.detail}` };
    if (typeof value === "string" && !isStorable(value))
      return { code: "ill_formed_text", detail: `${name} must hold no NUL character and no lone surrogate` };
  }
  return undefined;
}
