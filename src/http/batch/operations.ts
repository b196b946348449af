import type { TObject } from "@sinclair/typebox";
import type { TypeCheck } from "@sinclair/typebox/compiler";
import { asProblem, invalidField, Problem, withPrefix } from "../../core/errors.ts";
import type { Caller } from "../../core/tenant/caller.ts";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import { requireScope } from "../../core/tenant/scopes.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import { subResourceList } from "../../shared/resources.ts";
import { decodeUrl } from "../guard/request-line.ts";
import { type RouteMatch, RouteTable } from "../guard/route-table.ts";
import { assertKnownMembers } from "../resource/prefer.ts";
import { type ReadKeys, type WriteOperation, writeMethods } from "../resource/write-operations.ts";
import { requireMembers } from "../validation/items.ts";
import { checkOf, createMemberValidator } from "../validation/member-validator.ts";
import { invalidRequest } from "../validation/validation-errors.ts";

/** An operation of a batch whose input is valid. `kind`: its method and path, without the names in it. */
export type ValidOperation = {
  kind: Pick<WriteOperation, "reads">;
  keys: ReadKeys;
  run(tx: TenantTransaction, isRowOmitted: boolean): Promise<WriteReply>;
};

/** `caller`: the key of the batch, which needs the scope of each operation. */
export type BatchOptions = { isStrict: boolean; caller: Caller };

type TableEntry = WriteOperation & {
  paramsCheck: (() => TypeCheck<TObject>) | undefined;
  validateMembers: ReturnType<typeof createMemberValidator> | undefined;
};

/** The operations that a batch may have, by method and path. */
export class OperationTable {
  readonly #routes: RouteTable;
  readonly #entries: Map<string, TableEntry>;

  constructor(operations: readonly WriteOperation[]) {
    this.#routes = new RouteTable(operations.map(({ method, path }) => ({ method, path, hooks: {} })));
    this.#entries = new Map(
      operations.map((operation) => [`${operation.method} ${operation.path}`, withChecks(operation)]),
    );
  }

  /** Validates one operation as a request of its own. Throws its Problem, with pointers into the operation. */
  prepare(item: unknown, { isStrict, caller }: BatchOptions): ValidOperation {
    const members = requireMembers(item);
    if (isStrict) assertKnownMembers(members, ["method", "path", "body"], "");
    const { method, path, body } = members;
    if (!writeMethods.some((name) => name === method))
      throw invalidField("/method", "not_allowed", `must be one of ${writeMethods.join(", ")}`);
    if (typeof path !== "string" || !path.startsWith("/") || /[?#]/.test(path))
      throw invalidField(
        "/path",
        "not_allowed",
        "must be a path such as /api/v1/accounts/1, without a query",
      );
    decodeUrl(path);
    // Safe: one of `writeMethods`.
    const { pattern } = this.#find(method as string, path);
    const entry = this.#entries.get(`${method} ${pattern}`);
    if (!entry) throw new Problem("not_found", { detail: noOperation });
    requireScope(caller, entry.scope);
    const params = validateParams(entry, path);
    return bind(entry, params, validateBody(entry, body, isStrict));
  }

  #find(method: string, path: string): RouteMatch {
    try {
      return this.#routes.find(method, path);
    } catch (error) {
      throw asProblem(error).code === "not_found" ? new Problem("not_found", { detail: noOperation }) : error;
    }
  }
}

const noOperation = `No operation of a batch has this path. The paths are those of accounts, ${subResourceList}, such as /api/v1/accounts/1.`;

/** In a function of its own, so that the parsed item is not kept in memory. */
function bind(kind: TableEntry, params: object, body: object): ValidOperation {
  return {
    kind,
    keys: kind.reads?.keysOf({ params, body }) ?? {},
    run: (tx, isRowOmitted) => kind.writeOf({ params, query: {}, body, isInBatch: true, isRowOmitted })(tx),
  };
}

function withChecks(operation: WriteOperation): TableEntry {
  const { params, body } = operation;
  return {
    ...operation,
    paramsCheck: params && checkOf(params),
    validateMembers: body && createMemberValidator(body),
  };
}

function validateParams({ path: pattern, paramsCheck }: TableEntry, path: string): object {
  const segments = path.split("/");
  const names = pattern.split("/").map((segment, i) => [segment, segments[i] ?? ""] as const);
  const params = Object.fromEntries(
    names.flatMap(([name, segment]) => (name.startsWith(":") ? [[name.slice(1), decodeUrl(segment)]] : [])),
  );
  const check = paramsCheck?.();
  if (!check || check.Check(params)) return params;
  const { errors } = invalidRequest(check.Errors(params), false);
  throw new Problem("invalid_request", {
    errors: errors.map(({ code, detail }) => ({ pointer: "/path", code, detail })),
  });
}

function validateBody({ validateMembers }: TableEntry, body: unknown, isStrict: boolean): object {
  if (!validateMembers) return {};
  if (body === undefined) throw invalidField("/body", "required", "is required");
  return withPrefix("/body", () => validateMembers(body, isStrict));
}
