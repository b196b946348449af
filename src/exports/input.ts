import { type Static, Type } from "@sinclair/typebox";
import { AccountListQuery } from "../accounts/input.ts";
import { nameListParameter } from "../http/resource/selection.ts";
import { choice, parameter } from "../http/validation/shapes.ts";
import { operatorFileRows } from "../shared/resources.ts";
import { exportFormats, exportIncludable, formulaModes } from "./formats.ts";

const { page, pageSize, cursor, fields, ...listFilters } = AccountListQuery.properties;
const { "id.in": ids, ...filters }: typeof listFilters & { "id.in"?: unknown } = listFilters;

const style = {
  bom: Type.Optional(
    parameter({
      type: "boolean",
      description: "Begin with a byte-order mark, which Excel needs",
    }),
  ),
  formulas: Type.Optional(
    choice(formulaModes, {
      default: "escape",
      description: "Formulas with `'` before them, or as they are",
    }),
  ),
};

/** The filters and the order of the list of accounts: an export has all rows, and all columns of its own. */
const rows = {
  ...filters,
  include: Type.Optional(
    nameListParameter(exportIncludable, "Fields to add to each account, which an import ignores"),
  ),
};
/** Of JSON lines, whose last line can say that no row is missing: the response says what the line is. */
const ending = { end: Type.Optional(parameter({ type: "boolean", description: "Add the end line" })) };
const open = { additionalProperties: true };

export const AccountExportQuery = Type.Object({ ...rows, ...style }, open);
export const AccountJsonLinesQuery = Type.Object({ ...rows, ...ending }, open);
/** Of the command, which has any format. */
export const OperatorExportQuery = Type.Object({ ...rows, ...ending, ...style }, open);
export type ExportQueryValues = Static<typeof OperatorExportQuery>;

export const OperatorExportPath = Type.Object({
  resource: choice(operatorFileRows),
  format: choice(exportFormats),
});
