import { type Static, Type } from "@sinclair/typebox";
import { AccountListQuery } from "../accounts/input.ts";

/** The filters and the order of the list of accounts: an export has all rows and all columns. */
export const AccountExportQuery = Type.Omit(
  AccountListQuery,
  ["page", "pageSize", "cursor", "include", "fields"],
  { additionalProperties: true },
);
export type AccountExportQueryValues = Static<typeof AccountExportQuery>;
