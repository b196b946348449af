import { type TProperties, Type } from "@sinclair/typebox";
import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import { type AttributeOrder, attributeOrderPattern } from "../../core/attributes/filters.ts";
import type { ListSchema } from "../../core/lists/list.ts";
import type { Constraints } from "./constraints.ts";
import { orderDescription } from "./list-shapes.ts";
import { parameter } from "./shapes.ts";

/** The filters by attributes. Their values depend on the types of the attributes, and are validated with these. */
const attributeParameters: TProperties = {
  [ATTRIBUTES_PARAMETER]: Type.Optional(
    parameter({
      type: "string",
      description:
        "Filters by at most 10 attributes: `attributes.plan=pro`, `attributes.seats[gt]=5` (also `gte`, `lt`, `lte`), `attributes.plan[in]=pro,team`; `none`: rows without the attribute",
    }),
  ),
};

/** The parameters of a list of rows with attributes, besides the parameters of every list: filters, and orders by attributes. */
export function attributeListParameters<Sort extends string>({
  sortColumns,
  defaultOrder: [first],
}: ListSchema<Sort, string>) {
  const constraints: Constraints = {
    type: "string",
    anyOf: [
      { type: "string", enum: sortColumns },
      { type: "string", pattern: attributeOrderPattern, examples: [ATTRIBUTES_PARAMETER] },
    ],
    default: first,
    description: `${orderDescription}. \`${ATTRIBUTES_PARAMETER}\`: rows without the attribute are last in ascending order`,
  };
  // Safe: the constraints accept these texts.
  const order = Type.Unsafe<Sort | AttributeOrder>(parameter(constraints));
  return { ...attributeParameters, sortBy: Type.Optional(order) };
}
