import { type TProperties, type TUnsafe, Type } from "@sinclair/typebox";
import { ATTRIBUTES_PARAMETER } from "../../core/attributes/attributes.ts";
import { type AttributeOrder, attributeOrderPattern } from "../../core/attributes/filters.ts";
import type { ListSchema } from "../../core/lists/definition.ts";
import { choice, parameter } from "./shapes.ts";

/** The filters by attributes. Their values depend on the types of the attributes, and are validated with these. */
export const attributeParameters: TProperties = {
  [ATTRIBUTES_PARAMETER]: Type.Optional(
    parameter({
      type: "string",
      description:
        "Filters by at most 10 attributes: `attributes.plan=pro`, `attributes.seats[gt]=5` (also `gte`, `lt`, `lte`), `attributes.plan[in]=pro,team`; `none`: rows without the attribute",
    }),
  ),
};

const description = "Sort column; ties are ordered by id";

/** The order of a list: by a column or, where rows have attributes, by an attribute. */
export function orderParameter<Sort extends string>({
  sortBy,
  defaultOrder: [first],
  attributes,
}: ListSchema<Sort>): TUnsafe<Sort | AttributeOrder> {
  // Safe: the names of the sort columns.
  const sortColumns = Object.keys(sortBy) as Sort[];
  if (!attributes) return choice(sortColumns, { default: first, description });
  // Safe: the constraints accept these texts.
  return Type.Unsafe<Sort | AttributeOrder>(
    parameter({
      type: "string",
      anyOf: [
        { type: "string", enum: sortColumns },
        { type: "string", pattern: attributeOrderPattern, examples: [ATTRIBUTES_PARAMETER] },
      ],
      default: first,
      description: `${description}. \`${ATTRIBUTES_PARAMETER}\`: rows without the attribute are last in ascending order`,
    }),
  );
}
