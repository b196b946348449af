import type { Value } from "../../../db/engine.ts";
import type { ResourceType } from "../../shared/resources.ts";
import type { ResourceChange, ResourceRows } from "../changes/changes.ts";
import { Problem, type ProblemCode } from "../errors.ts";
import type { TenantSnapshot, TenantTransaction } from "../tenant/transaction.ts";
import type { Columns, ResourceDefinition, ResourceInput } from "./definition.ts";
import { addMemberTimes, differingTimes, type MemberTimes, type TimedRow } from "./member-times.ts";
import { createRowStore } from "./rows.ts";

/** Names a row: its id, or its external id as text. */
export type RowKey = number | string;

/** Reads and changes the rows of a resource. Every change is recorded, and its reactions run. */
export type Resource<T extends ResourceType, Input> = {
  /** The problems of values that another row has. */
  conflicts: readonly ProblemCode[];
  find(snapshot: TenantSnapshot, key: RowKey): Promise<ResourceRows[T] | undefined>;
  /** The rows with these external ids. */
  findAllByExternalId(snapshot: TenantSnapshot, externalIds: readonly string[]): Promise<ResourceRows[T][]>;
  /** Throws `not_found`. */
  get(snapshot: TenantSnapshot, key: RowKey): Promise<ResourceRows[T]>;
  /** Inserts a row. `accountId` is required for a sub-resource; `times` of its members are given for traits. */
  insert(
    tx: TenantTransaction,
    input: Partial<Input>,
    accountId?: number,
    times?: MemberTimes,
  ): Promise<ResourceRows[T]>;
  /**
   * Updates the columns that differ. When none differs, nothing changes, `updatedAt` and `version` included; only `times`
   * are stored. Without `times`, members change at `tx.now`.
   */
  applyChanges(
    tx: TenantTransaction,
    existing: ResourceRows[T],
    input: Partial<Input>,
    accountId?: number,
    times?: MemberTimes,
  ): Promise<ResourceRows[T]>;
  remove(tx: TenantTransaction, existing: ResourceRows[T]): Promise<void>;
};

export function defineResource<T extends ResourceType, Input extends ResourceInput>(
  definition: ResourceDefinition<T, Input>,
): Resource<T, Input> {
  const { type } = definition;
  const store = createRowStore(definition);
  const hasMemberTimes = "memberTimes" in definition.fields;

  function find(snapshot: TenantSnapshot, key: RowKey): Promise<ResourceRows[T] | undefined> {
    return typeof key === "number"
      ? snapshot.first(store.byId, { id: key })
      : snapshot.first(store.byExternalId, { externalId: key });
  }

  async function insert(
    tx: TenantTransaction,
    input: Partial<Input>,
    accountId?: number,
    times?: MemberTimes,
  ): Promise<ResourceRows[T]> {
    const { now } = tx;
    // Safe: the values of columns.
    const columns = definition.columnsOf(input, undefined, now) as unknown as Columns;
    const memberTimes = addMemberTimes(null, times ?? {}, String(columns.attributes));
    const row = await store.insert(tx, {
      ...(hasMemberTimes && { memberTimes }),
      ...(accountId !== undefined && { accountId }),
      externalId: input.externalId || null,
      ...columns,
      createdAt: now,
      updatedAt: now,
      version: 1,
    });
    await tx.changed(change({ action: "created", before: null, after: row }));
    return row;
  }

  async function applyChanges(
    tx: TenantTransaction,
    existing: ResourceRows[T],
    input: Partial<Input>,
    accountId?: number,
    times?: MemberTimes,
  ): Promise<ResourceRows[T]> {
    const { now } = tx;
    const before = asColumns(existing);
    const after: Columns = { ...before, ...definition.columnsOf(input, existing, now) };
    if (input.externalId !== undefined) after.externalId = input.externalId || null;
    if (accountId !== undefined) after.accountId = accountId;
    const changed = Object.keys(before).filter((name) => before[name] !== after[name]);
    const stamped = hasMemberTimes && stampMembers(before, after, times ?? now) ? ["memberTimes"] : [];
    if (changed.length > 0) {
      after.updatedAt = Math.max(now, existing.updatedAt + 1);
      after.version = existing.version + 1;
      changed.push("updatedAt");
      await store.update(tx, after, [...changed, "version", ...stamped]);
    } else if (stamped.length > 0) await store.update(tx, after, stamped);
    else return existing;
    // Safe: `after` has the members of `existing`.
    const row = after as unknown as ResourceRows[T];
    if (changed.length > 0)
      await tx.changed(change({ action: "updated", before: existing, after: row, changed }));
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
    conflicts: definition.conflicts.map(({ code }) => code),
    find,
    findAllByExternalId: async (snapshot, externalIds) =>
      externalIds.length === 0
        ? []
        : snapshot.all(store.byExternalIds, { externalIds: JSON.stringify(externalIds) }),
    get: async (snapshot, key) => (await find(snapshot, key)) ?? notFound(type, key),
    insert,
    applyChanges,
    async remove(tx, existing) {
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

/** The same problem for a row that does not exist and for one of another organization. */
export function notFound(type: ResourceType, key: RowKey): never {
  const member = typeof key === "number" ? "id" : "externalId";
  throw new Problem("not_found", {
    detail: `There is no ${type} with this ${member} in your organization.`,
  });
}

function asColumns(row: object | null): Record<string, Value> & { id: number; accountId?: number } {
  // Safe: the members of a row are columns, `id` included.
  return row as Record<string, Value> & { id: number };
}
