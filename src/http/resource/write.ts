import type { Context, status } from "elysia";
import { Problem } from "../../core/errors.ts";
import { type WriteReply, writeOnce } from "../../core/tenant/idempotency.ts";
import type { LookUp, Tenant } from "../../core/tenant/tenant.ts";
import type { TenantTransaction } from "../../core/tenant/transaction.ts";
import {
  invalidHeader,
  matchesRow,
  type RowVersion,
  readEntityTags,
  withEntityTag,
} from "../replies/entity-tags.ts";
import type { IdempotentRequest } from "./idempotency.ts";
import { selectReplayed } from "./selection.ts";
import type { WriteQueryValues } from "./write-schemas.ts";

/** The query of a write. Only some have `include` and `fields`. */
type WriteOptionValues = WriteQueryValues & { include?: string; fields?: string };
/** The members of Elysia's context that a write uses. */
export type WriteContext = {
  tenant: Tenant;
  set: Context["set"];
  query: WriteOptionValues;
  idempotency?: IdempotentRequest | undefined;
};
/** The input of a write, after its schemas accepted it. */
type WriteInput<Params, Body> = {
  params: Params;
  query: WriteOptionValues;
  body: Body;
  /** Whether it is an operation of a batch. */
  isInBatch?: boolean;
  /** Whether the reply has only the id of the row. */
  isRowOmitted?: boolean;
};
/** Makes the changes of a write and returns its reply, without other effects. May run twice. */
export type RunWrite<Reply extends WriteReply> = (tx: TenantTransaction) => Promise<Reply>;
/** Returns the write of an input. */
export type WriteOf<Params, Body, Reply extends WriteReply> = (
  input: WriteInput<Params, Body>,
) => RunWrite<Reply>;

/** What a handler returns to Elysia for a reply. */
export type SentReply<Reply> =
  Reply extends WriteReply<infer Code, infer Body>
    ? Code extends 200
      ? Body
      : ReturnType<typeof status<Code, Body>>
    : never;

/** The row that a write changes, the number of rows that it changes, or the table into which it inserts one. */
export type WriteTarget<Params> = {
  preconditions?: Preconditions<Params>;
  countRows?: ((tenant: Tenant, params: Params) => Promise<number>) | undefined;
  insertsInto?: string;
};

/** How preconditions find the row of a write: by the parameters of its path. */
type Preconditions<Params> = {
  lookUp(params: Params): LookUp<RowVersion>;
  /** Whether the write creates a row that does not exist. */
  canCreate?: boolean;
};

/**
 * Returns a function that checks the preconditions of the request on the row that `lookUp` finds, throws
 * `precondition_failed`, and calls `write`. If-Match compares the version and the id; `If-None-Match: *` requires that there
 * is no row. Without these headers it returns `write` itself. Throws `invalid_request` for an invalid header.
 */
function withPreconditions<Params, Reply extends WriteReply>(
  { request: { headers }, params }: { request: Request; params: Params },
  { lookUp, canCreate = false }: Preconditions<Params>,
  write: RunWrite<Reply>,
): RunWrite<Reply> {
  const matching = readEntityTags(headers, "If-Match");
  const noneMatching = readEntityTags(headers, "If-None-Match");
  if (matching === undefined && noneMatching === undefined) return write;
  if (noneMatching !== undefined && noneMatching !== "*") throw invalidHeader("If-None-Match", 'must be "*"');
  return async (tx) => {
    const { statement, values } = lookUp(params);
    const row = await tx.first(statement, values);
    // The write throws `not_found`.
    if (!row && !canCreate) return write(tx);
    if (row && noneMatching) throw new Problem("precondition_failed", { detail: exists });
    if (matching && !(row && matchesRow(matching, row))) throw new Problem("precondition_failed");
    return write(tx);
  };
}

const exists = "There is a row already. Send the request without If-None-Match to update it.";

/** Elysia's handler for a write, with preconditions on the row that it changes. */
export function handleWrite<Params, Body, Reply extends WriteReply>(
  writeOf: WriteOf<Params, Body, Reply>,
  { preconditions, countRows, insertsInto }: WriteTarget<Params> = {},
) {
  return async ({
    tenant,
    set,
    query,
    idempotency,
    params,
    body,
    request,
  }: WriteContext & WriteInput<Params, Body> & { request: Request }): Promise<SentReply<Reply>> => {
    const rowCount = countRows && query.dryRun !== "true" ? await countRows(tenant, params) : undefined;
    const run = writeOf({ params, query, body });
    return write(
      { tenant, set, query, idempotency },
      preconditions ? withPreconditions({ request, params }, preconditions, run) : run,
      { firstRead: preconditions?.lookUp(params), insertsInto, ...(rowCount && { rowCount }) },
    );
  };
}

/**
 * Runs a write of a request in one transaction and sends its reply after the commit. `dryRun` rolls the transaction
 * back; an Idempotency-Key makes it run once. Throws what `run` throws, and what `Tenant.write` throws.
 */
export async function write<Reply extends WriteReply>(
  { tenant, set, query, idempotency }: WriteContext,
  run: RunWrite<Reply>,
  options?: Parameters<Tenant["write"]>[1],
): Promise<SentReply<Reply>> {
  const isDryRun = query.dryRun === "true";
  if (!idempotency) {
    const reply = await (isDryRun ? writeDry(tenant, run, options) : tenant.write(run, options));
    return sendReply(set, withEntityTag(reply));
  }
  const isBatch = options?.rowCount !== undefined;
  const reply = await idempotency.run(tenant.organizationId, async (keyed) => {
    const runTagged: RunWrite<Reply> = async (tx) => withEntityTag(await run(tx));
    const runOnce: RunWrite<Reply> = (tx) => writeOnce(tx, keyed, runTagged, isBatch);
    const stored = await (isDryRun ? writeDry(tenant, runOnce, options) : tenant.write(runOnce, options));
    return selectReplayed(stored, query);
  });
  return sendReply(set, reply);
}

/** What the handler of a write returns to Elysia, which sends it. */
export function sendReply<Reply extends WriteReply>(set: Context["set"], reply: Reply): SentReply<Reply> {
  Object.assign(set.headers, reply.headers);
  if (reply.status === 204) delete set.headers["content-type"];
  set.status = reply.status;
  // Safe: Elysia sends the body with this status, as it would send `status(…)`.
  return reply.body as SentReply<Reply>;
}

/** Rolls back the transaction of a dry run. */
class DryRunRollback<Reply> extends Error {
  readonly reply: Reply;
  constructor(reply: Reply) {
    super("the transaction of a dry run is rolled back");
    this.reply = reply;
  }
}

async function writeDry<Reply extends WriteReply>(
  tenant: Tenant,
  run: RunWrite<Reply>,
  options?: Parameters<Tenant["write"]>[1],
): Promise<Reply> {
  try {
    return await tenant.write(async (tx) => {
      throw new DryRunRollback(await run(tx));
    }, options);
  } catch (error) {
    if (!(error instanceof DryRunRollback)) throw error;
    return dryRunReply(error.reply);
  }
}

/** The reply to a dry run, which has had no effect. */
export function dryRunReply<Reply extends WriteReply>(reply: Reply): Reply {
  return { ...reply, headers: { ...reply.headers, "dry-run": "true" } };
}

/** The reply 200, with the entity tag of the row. */
export function ok<Data>(data: Data, row?: RowVersion) {
  return { status: 200, body: { data }, row } as const;
}

/** The reply 201 with the path of the new row, and its entity tag. */
export function created<Data>(location: string, data: Data, row?: RowVersion) {
  return { status: 201, body: { data }, headers: { location }, row } as const;
}

/** The reply 204. */
export const deleted = { status: 204, body: undefined } as const;
