import { type Static, Type } from "@sinclair/typebox";
import { AccountListQuery } from "../accounts/input.ts";
import { nameListParameter } from "../http/selection.ts";
import { exportIncludable } from "./columns.ts";

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
export type AccountExportQueryValues = Static<typeof AccountExportQuery>;
