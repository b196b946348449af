import { type Static, Type } from "@sinclair/typebox";
import { AccountListQuery } from "../accounts/input.ts";
import { nameListParameter } from "../http/resource/selection.ts";
import { choice, parameter } from "../http/validation/shapes.ts";
import { subResourceNames } from "../shared/resources.ts";
import { exportFormats, exportIncludable } from "./formats.ts";

const { page, pageSize, cursor, fields, ...filters } = AccountListQuery.properties;

/** The filters and the order of the list of accounts: an export has all rows, and all columns of its own. */
export const AccountExportQuery = Type.Object(
  {
    ...filters,
    include: Type.Optional(
      nameListParameter(exportIncludable, "Members to add to each account, which an import ignores"),
    ),
  },
  { additionalProperties: true },
);
/** Of JSON lines, whose last line can say that no row is missing. */
export const AccountJsonLinesQuery = Type.Object(
  {
    ...AccountExportQuery.properties,
    end: Type.Optional(
      // The reply says what the line is.
      parameter({ type: "boolean", description: "Add the end line" }),
    ),
  },
  { additionalProperties: true },
);
export type AccountExportQueryValues = Static<typeof AccountJsonLinesQuery>;

export const SubResourceExportPath = Type.Object({
  resource: choice(subResourceNames),
  format: choice(exportFormats),
});

export const UsageDaysExportPath = Type.Object({ format: choice(exportFormats) });
export const UsageDaysExportQuery = Type.Object({ end: AccountJsonLinesQuery.properties.end });
