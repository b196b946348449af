import type { TSchema } from "@sinclair/typebox";
import { asProblem, invalidField, type Problem, withPrefix } from "../../core/errors.ts";
import type { ItemError } from "../../core/item-codes.ts";
import { continueWork, maxWorkMilliseconds } from "../../core/turns.ts";
import { maxRequestItems } from "../../shared/request-limits.ts";
import { isStorable } from "../body/body.ts";
import { asConstraints, validate } from "./constraints.ts";

/**
 * The array at a member of the body. Throws `invalid_request` when it is missing or has more than `maxRequestItems`.
 * `missing` is the detail of the former.
 */
export function readItems(body: Record<string, unknown>, name: string, missing = "is required"): unknown[] {
  const items = body[name];
  const pointer = `/${name}`;
  if (items === undefined) throw invalidField(pointer, "required", missing);
  if (!Array.isArray(items)) throw invalidField(pointer, "wrong_type", "must be an array");
  if (items.length > maxRequestItems)
    throw invalidField(pointer, "too_many", `must contain at most ${maxRequestItems} items`);
  return items;
}

/** Calls `validateItem` for each item, and continues in a later turn after each millisecond. */
export async function validateItems<T>(
  items: readonly unknown[],
  validateItem: (item: unknown, index: number) => T,
): Promise<T[]> {
  const results: T[] = [];
  let start = performance.now();
  for (const [index, item] of items.entries()) {
    if (performance.now() - start > maxWorkMilliseconds) {
      await continueWork();
      start = performance.now();
    }
    results.push(validateItem(item, index));
  }
  return results;
}

/** `validateItems` with the problem of each invalid item, whose pointers begin with the item's: `/accounts/3`. */
export function validateEach<T>(
  items: readonly unknown[],
  name: string,
  validateItem: (item: unknown, pointer: string) => T,
): Promise<(T | Problem)[]> {
  return validateItems(items, (item, index) => {
    const pointer = `/${name}/${index}`;
    try {
      return withPrefix(pointer, () => validateItem(item, pointer));
    } catch (error) {
      return asProblem(error);
    }
  });
}

export function asMembers(item: unknown): Record<string, unknown> | undefined {
  // Safe: an object has members, of unknown values.
  return typeof item === "object" && item !== null && !Array.isArray(item) ? (item as never) : undefined;
}

/** The members of an item. Throws `invalid_request` when it is not an object. */
export function requireMembers(item: unknown): Record<string, unknown> {
  const members = asMembers(item);
  if (!members) throw invalidField("", "wrong_type", "must be an object");
  return members;
}

/** The first violation among the members of an item with these shapes. Members that are not `required` may be absent. */
export function validateMembers<Name extends string>(
  shapes: Record<Name, TSchema>,
  required: readonly NoInfer<Name>[],
  members: Record<string, unknown>,
): ItemError | undefined {
  for (const name in shapes) {
    const value = members[name];
    if (value === undefined) {
      if (required.includes(name)) return { code: "required", detail: `${name} is required` };
      continue;
    }
    const violation = validate(asConstraints(shapes[name]), value);
    if (violation) return { code: violation.code, detail: `${name} ${violation.detail}` };
    if (typeof value === "string" && !isStorable(value))
      return {
        code: "ill_formed_text",
        detail: `${name} must contain no NUL character and no lone surrogate`,
      };
  }
  return undefined;
}
