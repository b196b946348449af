import type { Static, TObject } from "@sinclair/typebox";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import type { Scope } from "../../core/tenant/scopes.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import type { ResourceNames } from "./schemas.ts";
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
    input: { params: object; query: WriteQueryValues; body: object },
  ): Promise<WriteReply>;
};

/** Declares that batches may have the operation, with the scope `write`. `run` and the shapes are those of its route. */
export function defineOperation<P extends TObject, B extends TObject>(
  method: WriteMethod,
  path: string,
  { params, body }: { params?: P; body?: B },
  run: RunWrite<Static<P>, Static<B>, WriteReply>,
): WriteOperation {
  // Safe: a batch validates the parameters and the body with the shapes.
  return { method, path, scope: "write", params, body, run: run as unknown as WriteOperation["run"] };
}

type Shapes = { params: TObject; body?: TObject };
type WriteName = "create" | "update" | "delete" | "put" | "deleteByExternalId";

/** The writes of a sub-resource that batches may have. */
export function createResourceOperations(
  { plural, idName }: Pick<ResourceNames<string, never>, "plural" | "idName">,
  schemas: Record<WriteName, Shapes>,
  writes: Record<WriteName, RunWrite<never, never, WriteReply>>,
): WriteOperation[] {
  const external = `/api/v1/${plural}/external/:externalId`;
  const byId = `/api/v1/${plural}/:${idName}`;
  const paths: [WriteName, WriteMethod, string][] = [
    ["create", "POST", `/api/v1/accounts/:accountId/${plural}`],
    ["update", "PATCH", byId],
    ["delete", "DELETE", byId],
    ["put", "PUT", external],
    ["deleteByExternalId", "DELETE", external],
  ];
  // Safe: each write has the parameters and the body of its schemas.
  return paths.map(([name, method, path]) =>
    defineOperation(method, path, schemas[name], writes[name] as RunWrite<unknown, unknown, WriteReply>),
  );
}
