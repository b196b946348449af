import type { TObject } from "@sinclair/typebox";
import type { AccountReference } from "../../core/resource/account-reference.ts";
import type { RowKey } from "../../core/resource/resource.ts";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import type { Scope } from "../../core/tenant/scopes.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import type { WriteOf } from "./write.ts";

export const writeMethods = ["POST", "PATCH", "PUT", "DELETE"] as const;
export type WriteMethod = (typeof writeMethods)[number];

/** The row, and the account of a row, that an operation reads. */
export type ReadKeys = { row?: RowKey; account?: AccountReference };

/** A write of one route, as a batch runs it. `writeOf` gets what `params` and `body` accept. */
export type WriteOperation = {
  method: WriteMethod;
  /** The path of the route: `/api/v1/accounts/:accountId`. */
  path: string;
  scope: Scope;
  params: TObject | undefined;
  body: TObject | undefined;
  /** Reads the rows of several operations together, before they run. */
  reads?: {
    keysOf(input: { params: object; body: object }): ReadKeys;
    readRows(tx: TenantTransaction, keys: readonly ReadKeys[]): Promise<void>;
  };
  writeOf: WriteOf<object, object, WriteReply>;
};
