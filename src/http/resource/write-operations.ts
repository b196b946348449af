import type { Static, TObject } from "@sinclair/typebox";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import type { Scope } from "../../core/tenant/scopes.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import type { RunWrite } from "./write.ts";
import type { WriteQueryValues } from "./write-schemas.ts";

export const writeMethods = ["POST", "PATCH", "PUT", "DELETE"] as const;
export type WriteMethod = (typeof writeMethods)[number];

/** A write of one route, as a batch runs it. */
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

/** Declares that batches may have the operation, with the scope `write`. `run` and the shapes belong to its route. */
export function defineOperation<P extends TObject, B extends TObject>(
  method: WriteMethod,
  path: string,
  { params, body }: { params?: P; body?: B },
  run: RunWrite<Static<P>, Static<B>, WriteReply>,
): WriteOperation {
  // Safe: a batch validates the parameters and the body with the shapes.
  return { method, path, scope: "write", params, body, run: run as unknown as WriteOperation["run"] };
}
