import type { TObject } from "@sinclair/typebox";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import type { Scope } from "../../core/tenant/scopes.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import type { WriteQueryValues } from "./write-schemas.ts";

export const writeMethods = ["POST", "PATCH", "PUT", "DELETE"] as const;
export type WriteMethod = (typeof writeMethods)[number];

/** A write of one route, as a batch runs it. `run` gets what `params` and `body` accept. */
export type WriteOperation = {
  method: WriteMethod;
  /** The path of the route: `/api/v1/accounts/:accountId`. */
  path: string;
  scope: Scope;
  params: TObject | undefined;
  body: TObject | undefined;
  run(
    tx: TenantTransaction,
    input: { params: object; query: WriteQueryValues; body: object; isInBatch: true; isRowOmitted: boolean },
  ): Promise<WriteReply>;
};
