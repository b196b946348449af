import { getTableName } from "drizzle-orm";
import type { Value } from "../../../db/engine.ts";
import type { ResourceType } from "../../shared/resources.ts";
import type { ResourceChange, ResourceRows } from "../changes/changes.ts";
import { Problem } from "../errors.ts";
import type { LookUp } from "../tenant/tenant.ts";
import type { TenantSnapshot, TenantTransaction } from "../tenant/transaction.ts";
import { type Columns, membersOfNew, type ResourceDefinition, type ResourceInput } from "./definition.ts";
import { addMemberTimes, differingTimes, type MemberTimes, type TimedRow } from "./member-times.ts";
import { createRowStore } from "./rows.ts";

/** Names a row: its id, or its external id as text. */
export type RowKey = number | string;

/**
 * The members of a row to insert or to update. A new row of a sub-resource needs an `accountId`. `times` are for traits:
 * the times at which the members changed. Default: `tx.now`. `isMarked`: a new row has the mark of its resource anyway.
 */
type RowMembers<Input> = {
  input: Partial<Input>;
  accountId?: number | undefined;
  times?: MemberTimes | undefined;
  isMarked?: boolean;
};
type RowInput<T extends ResourceType, Input> = RowMembers<Input> & { existing?: ResourceRows[T] | undefined };
export type Upserted<Row> = { row: Row; isNew: boolean };

/** The functions that read and change the rows of a resource. Every change is recorded, and its reactions run. */
export function defineResource<T extends ResourceType, Input extends ResourceInput>(
  definition: ResourceDefinition<T, Input>,
) {
  const { type } = definition;
  const store = createRowStore(definition);
  const hasMemberTimes = "memberTimes" in definition.fields;

  /** The statement that finds a row. */
  function lookUp(key: RowKey): LookUp<ResourceRows[T]> {
    return typeof key === "number"
      ? { statement: store.byId, values: { id: key } }
      : { statement: store.byExternalId, values: { externalId: key } };
  }

  async function find(snapshot: TenantSnapshot, key: RowKey): Promise<ResourceRows[T] | undefined> {
    // Safe: `readRows` keeps rows of this resource.
    const row = snapshot.readRow(type, key) as ResourceRows[T] | null | undefined;
    if (row !== undefined) return row ?? undefined;
    const { statement, values } = lookUp(key);
    return snapshot.first(statement, values);
  }

  async function findAllByExternalId(snapshot: TenantSnapshot, externalIds: readonly string[]) {
    if (externalIds.length === 0) return [];
    return snapshot.all(store.byExternalIds, { externalIds: JSON.stringify(externalIds) });
  }

  /** Reads the rows that `find` will find, by two statements. */
  async function readRows(tx: TenantTransaction, keys: readonly RowKey[]): Promise<void> {
    const ids = keys.filter((key) => typeof key === "number");
    const externalIds = keys.filter((key) => typeof key === "string");
    const [byId, byExternalId] = await Promise.all([
      ids.length > 0 ? tx.all(store.byIds, { keys: JSON.stringify(ids.map((id) => [id])) }) : [],
      findAllByExternalId(tx, externalIds),
    ]);
    for (const key of keys) tx.keepRow(type, key, null);
    for (const row of byId) tx.keepRow(type, row.id, row);
    for (const row of byExternalId) if (row.externalId !== null) tx.keepRow(type, row.externalId, row);
  }

  /** Inserts a row with its defaults. Throws `invalid_request` without a required member. */
  async function insert(
    tx: TenantTransaction,
    { input, accountId, times, isMarked = false }: RowMembers<Input>,
  ): Promise<ResourceRows[T]> {
    const { now } = tx;
    const members = membersOfNew(definition, input, accountId !== undefined);
    // Safe: the values of columns.
    const columns = definition.columnsOf(members, undefined, now) as unknown as Columns;
    const memberTimes = addMemberTimes(null, times ?? {}, String(columns.attributes));
    const values: Columns = {
      ...(hasMemberTimes && { memberTimes }),
      ...(accountId !== undefined && { accountId }),
      externalId: members.externalId || null,
      ...columns,
      createdAt: now,
      updatedAt: now,
      version: 1,
    };
    let id: number;
    try {
      id = await tx.insert(store.insert, {
        ...values,
        ...store.derivedColumns(values),
        ...(isMarked && store.mark),
      });
    } catch (error) {
      throw store.asConflict(error, values);
    }
    // Safe: the values of all columns of the row.
    const row = { id, ...values } as unknown as ResourceRows[T];
    await tx.changed(change({ action: "created", before: null, after: row }));
    return row;
  }

  /**
   * Updates the columns that differ. When none differs, nothing changes, `updatedAt` and `version` included; only `times`
   * are stored.
   */
  async function update(
    tx: TenantTransaction,
    existing: ResourceRows[T],
    { input, accountId, times }: RowMembers<Input>,
  ): Promise<ResourceRows[T]> {
    const { now } = tx;
    const before = asColumns(existing);
    const after: Columns = { ...before, ...definition.columnsOf(input, existing, now) };
    if (input.externalId !== undefined) after.externalId = input.externalId || null;
    if (accountId !== undefined) after.accountId = accountId;
    const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
    const isChanged = changed.length > 0;
    const stamped = hasMemberTimes && stampMembers(before, after, times ?? now) ? ["memberTimes"] : [];
    if (!isChanged && stamped.length === 0) return existing;
    if (isChanged) {
      after.updatedAt = Math.max(now, existing.updatedAt + 1);
      after.version = existing.version + 1;
      changed.push("updatedAt");
    }
    const derived = store.derivedColumns(after, before, changed);
    const written = [...changed, ...(isChanged ? ["version"] : []), ...stamped, ...Object.keys(derived)];
    try {
      await tx.run(store.updateOf(written), { ...after, ...derived });
    } catch (error) {
      throw store.asConflict(error, after);
    }
    // Safe: `after` has the members of `existing`.
    const row = after as unknown as ResourceRows[T];
    if (isChanged) await tx.changed(change({ action: "updated", before: existing, after: row, changed }));
    return row;
  }

  function change(sides: {
    action: string;
    before: ResourceRows[T] | null;
    after: ResourceRows[T] | null;
    changed?: string[];
  }) {
    const { id, accountId = id } = asColumns(sides.after ?? sides.before);
    // Safe: each action comes with the sides that its type has.
    return { resource: type, id, accountId, ...sides } as unknown as ResourceChange;
  }

  return {
    /** The problems of values that another row has. */
    conflicts: definition.conflicts.map(({ code }) => code),
    tableName: getTableName(definition.table),
    lookUp,
    find,
    readRows,
    findAllByExternalId,
    /** Throws `not_found`. */
    get: async (snapshot: TenantSnapshot, key: RowKey) => (await find(snapshot, key)) ?? notFound(type, key),
    insert,
    update,
    upsert: async (tx: TenantTransaction, { existing, ...row }: RowInput<T, Input>) =>
      existing
        ? { row: await update(tx, existing, row), isNew: false }
        : { row: await insert(tx, row), isNew: true },
    async remove(tx: TenantTransaction, existing: ResourceRows[T]) {
      await tx.changed(change({ action: "deleted", before: existing, after: null }));
      await tx.run(store.remove, { id: existing.id });
    },
  };
}

/**
 * Sets the times of the members in `after`: `times`, or the time at which those that differ change. Returns whether a
 * time differs.
 */
function stampMembers(before: Columns, after: Columns, times: MemberTimes | number): boolean {
  // Safe: both are rows of a resource with member times.
  const rows = [before, after] as unknown as [TimedRow, TimedRow];
  const [{ memberTimes }, { attributes }] = rows;
  const setTimes = typeof times === "number" ? differingTimes(...rows, times) : times;
  after.memberTimes = addMemberTimes(memberTimes, setTimes, attributes);
  return after.memberTimes !== memberTimes;
}

/** Throws `not_found`, equal for a row that does not exist and for a row of another organization. */
export function notFound(
  type: ResourceType,
  key: RowKey,
  member = typeof key === "number" ? "id" : "externalId",
): never {
  throw new Problem("not_found", {
    detail: `There is no ${type} with this ${member} in your organization.`,
  });
}

function asColumns(row: object | null): Record<string, Value> & { id: number; accountId?: number } {
  // Safe: the members of a row are columns, `id` included.
  return row as Record<string, Value> & { id: number };
}
