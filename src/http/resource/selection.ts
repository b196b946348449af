import { Kind, type TObject, type TProperties, type TUnsafe, Type } from "@sinclair/typebox";
import type { Constraints } from "../validation/constraints.ts";
import { PARAMETER_KIND } from "../validation/shapes.ts";

/** A list of names in a query, separated by commas. */
export function nameListParameter(names: readonly string[], description: string): TUnsafe<string> {
  const constraints: Constraints = { type: "array", items: { type: "string", enum: names }, description };
  return Type.Unsafe<string>({ ...constraints, [Kind]: PARAMETER_KIND });
}

/** The query of an operation whose replies have the members of this shape, with these other parameters. */
export function withFields<Others extends TProperties>(shape: TObject, { properties }: TObject<Others>) {
  const description = "Only these fields of each row, and `id`. Default: all";
  const fields = Type.Optional(nameListParameter(Object.keys(shape.properties), description));
  return Type.Object({ ...properties, fields }, { additionalProperties: true });
}

/** Returns a function that leaves out the members that `fields` does not name, except `id`. */
export function memberSelector({ fields }: { fields?: string }): <View extends object>(view: View) => View {
  if (fields === undefined) return (view) => view;
  const names = new Set(["id", ...fields.split(",")]);
  return <View extends object>(view: View) =>
    // Safe: the document says that `fields` leaves out members.
    Object.fromEntries(Object.entries(view).filter(([name]) => names.has(name))) as View;
}

/** The members of a reply that `fields` names. A stored reply may have more. */
export function selectReplayed<Reply extends { body: unknown }>(
  reply: Reply,
  query: { fields?: string },
): Reply {
  const { body } = reply;
  if (query.fields === undefined || typeof body !== "object" || body === null || !("data" in body))
    return reply;
  // Safe: writes with `fields` reply with one row.
  return { ...reply, body: { ...body, data: memberSelector(query)(body.data as object) } };
}
