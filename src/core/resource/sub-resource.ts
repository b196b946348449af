import type { ResourceType } from "../../shared/resources.ts";
import type { ResourceRows } from "../changes/changes.ts";
import { Problem } from "../errors.ts";
import type { ProblemCode } from "../problem-types.ts";
import type { LookUp } from "../tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../tenant/transaction.ts";
import { type AccountReference, requireAccount } from "./account-reference.ts";
import { membersOfNew, type ResourceDefinition, type ResourceInput } from "./definition.ts";
import { defineResource, type RowKey, type Upserted } from "./resource.ts";

/** The store of a sub-resource, for any input. */
export type SubResourceStore<Row> = {
  conflicts: readonly ProblemCode[];
  tableName: string;
  lookUp(key: RowKey): LookUp<Row>;
  readRows(tx: TenantTransaction, keys: readonly RowKey[]): Promise<void>;
  findAllByExternalId(snapshot: TenantSnapshot, externalIds: readonly string[]): Promise<Row[]>;
  get(snapshot: TenantSnapshot, key: RowKey): Promise<Row>;
  create(tx: TenantTransaction, account: AccountReference, input: object): Promise<Row>;
  update(tx: TenantTransaction, key: RowKey, input: object): Promise<Row>;
  put(tx: TenantTransaction, externalId: string, input: object): Promise<Upserted<Row>>;
  upsert(tx: TenantTransaction, row: SubResourceInput<Row>): Promise<Upserted<Row>>;
  remove(tx: TenantTransaction, existing: Row): Promise<void>;
};
type SubResourceInput<Row> = { existing?: Row | undefined; input: object; accountId?: number | undefined };
type SubResourceType = Exclude<ResourceType, "account">;

/**
 * The operations on a resource whose rows belong to accounts. All throw `not_found` for rows that do not exist in the
 * organization, and the problems of invalid input and of conflicts.
 */
export function defineSubResource<T extends SubResourceType, Input extends ResourceInput>(
  definition: ResourceDefinition<T, Input>,
) {
  const resource = defineResource(definition);
  return {
    ...resource,

    async create(
      tx: TenantTransaction,
      account: AccountReference,
      input: Partial<Input>,
    ): Promise<ResourceRows[T]> {
      membersOfNew(definition, input, true);
      return resource.insert(tx, { input, accountId: await requireAccount(tx, account) });
    },

    /** Updates the members that are present. Throws `no_valid_fields` when none is. */
    async update(tx: TenantTransaction, key: RowKey, input: Partial<Input>): Promise<ResourceRows[T]> {
      if (Object.keys(input).length === 0) throw new Problem("no_valid_fields");
      return resource.update(tx, await resource.get(tx, key), { input });
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
      const existing = await resource.find(tx, externalId);
      return resource.upsert(tx, { existing, input, accountId: account });
    },
  };
}
