import type { ResourceType } from "../../shared/resources.ts";
import type { ResourceRows } from "../changes/changes.ts";
import { type FieldViolation, Problem, type ProblemCode } from "../errors.ts";
import type { TenantSnapshot, TenantTransaction } from "../tenant/transaction.ts";
import { type AccountReference, requireAccount } from "./account-reference.ts";
import type { ResourceInput } from "./definition.ts";
import type { MemberTimes } from "./member-times.ts";
import type { Resource, RowKey } from "./resource.ts";

export type Upserted<R> = { row: R; isNew: boolean };
/** The store of a sub-resource, for any input. */
export type SubResourceStore<Row> = {
  conflicts: readonly ProblemCode[];
  find(snapshot: TenantSnapshot, key: RowKey): Promise<Row | undefined>;
  findAllByExternalId(snapshot: TenantSnapshot, externalIds: readonly string[]): Promise<Row[]>;
  get(snapshot: TenantSnapshot, key: RowKey): Promise<Row>;
  create(tx: TenantTransaction, accountId: number, input: object): Promise<Row>;
  update(tx: TenantTransaction, key: RowKey, input: object): Promise<Row>;
  put(tx: TenantTransaction, externalId: string, input: object): Promise<Upserted<Row>>;
  upsert(
    tx: TenantTransaction,
    existing: Row | undefined,
    input: object,
    account: number | undefined,
  ): Promise<Upserted<Row>>;
  remove(tx: TenantTransaction, existing: Row): Promise<void>;
};
type SubResourceType = Exclude<ResourceType, "account">;

/**
 * The operations on a resource whose rows belong to accounts. All throw `not_found` for rows that do not exist in the
 * organization, and the problems of invalid input and of conflicts.
 */
export function createSubResourceStore<T extends SubResourceType, Input extends ResourceInput>(
  resource: Resource<T, Input>,
  /** The required members of a new row, after the defaults. */
  required: readonly (keyof Input & string)[],
  withDefaults: (input: Partial<Input>) => Partial<Input> = (input) => input,
) {
  /** The members of a new row. Throws when one is missing, or the account. */
  function membersOfNew(input: Partial<Input>, account: number | undefined) {
    const members = withDefaults(input);
    const missing = required.filter((name) => members[name] === undefined);
    if (account === undefined || missing.length > 0) throw missingMembers(account, missing);
    return { members, account };
  }

  /**
   * Updates the existing row, or inserts one. `account` is undefined when the input refers to none; `times` as in
   * `applyChanges`.
   */
  async function upsert(
    tx: TenantTransaction,
    existing: ResourceRows[T] | undefined,
    input: Partial<Input>,
    account: number | undefined,
    times?: MemberTimes,
  ): Promise<Upserted<ResourceRows[T]>> {
    if (existing)
      return { row: await resource.applyChanges(tx, existing, input, account, times), isNew: false };
    const { members, account: accountId } = membersOfNew(input, account);
    return { row: await resource.insert(tx, members, accountId, times), isNew: true };
  }

  return {
    ...resource,
    upsert,

    async create(tx: TenantTransaction, accountId: number, input: Partial<Input>): Promise<ResourceRows[T]> {
      const { members } = membersOfNew(input, accountId);
      await requireAccount(tx, { accountId });
      return resource.insert(tx, members, accountId);
    },

    /** Updates the members that are present. Throws `no_valid_fields` when none is. */
    async update(tx: TenantTransaction, key: RowKey, input: Partial<Input>): Promise<ResourceRows[T]> {
      if (Object.keys(input).length === 0) throw new Problem("no_valid_fields");
      return resource.applyChanges(tx, await resource.get(tx, key), input);
    },

    /**
     * Creates or updates the row with this external id. Absent members stay unchanged, or get their
     * defaults in a new row, which requires the `required` members and an account.
     */
    async put(
      tx: TenantTransaction,
      externalId: string,
      { accountId, accountExternalId, ...members }: Partial<Input> & AccountReference,
    ): Promise<Upserted<ResourceRows[T]>> {
      // Safe: without the two members of the account reference, the members of the input.
      const input = { ...members, externalId } as unknown as Partial<Input>;
      const hasAccount = accountId !== undefined || accountExternalId !== undefined;
      const account = hasAccount ? await requireAccount(tx, { accountId, accountExternalId }) : undefined;
      return upsert(tx, await resource.find(tx, externalId), input, account);
    },
  };
}

function missingMembers(account: number | undefined, missing: readonly string[]): Problem {
  const errors = missing.map(
    (name): FieldViolation => ({ pointer: `/${name}`, code: "required", detail: "is required" }),
  );
  if (account === undefined)
    errors.unshift({ pointer: "/accountId", code: "required", detail: "or accountExternalId is required" });
  return new Problem("invalid_request", { errors });
}
