import { and, asc, count, desc, eq, gt, lt, lte } from "drizzle-orm";
import { allOf, inputs, integerInput, pick } from "../../../db/expressions.ts";
import { accountChanges, changes, indexedBlockSize } from "../../../db/schema.ts";
import {
  insert,
  insertSelected,
  remove,
  select,
  type TenantReader,
  type TenantWriter,
} from "../tenant/statements.ts";

const upToSequence = lte(changes.sequence, integerInput("upTo"));
const afterSequence = gt(changes.sequence, integerInput("after"));
const isOfAccount = eq(changes.accountId, integerInput("accountId"));
const isIndexedOfAccount = eq(accountChanges.accountId, integerInput("accountId"));

const last = select("changes.last", {
  fields: { sequence: changes.sequence },
  from: changes,
  orderBy: [desc(changes.sequence)],
  paged: true,
});
const indexBlock = insertSelected("accountChanges.index", {
  into: accountChanges,
  fields: pick(changes, "organizationId", "accountId", "sequence"),
  from: changes,
  where: and(afterSequence, upToSequence),
  orderBy: [asc(changes.accountId), asc(changes.sequence)],
});
/** Adds a change to the index at once: of the account that a row left, which the change itself does not have. */
export const addToIndex = insert("accountChanges.insert", {
  into: accountChanges,
  values: inputs(accountChanges, "accountId", "sequence"),
});
const notIndexed = select("accountChanges.notIndexed", {
  fields: { sequence: changes.sequence },
  from: changes,
  where: and(afterSequence, isOfAccount),
  orderBy: [desc(changes.sequence)],
});
const indexedBefore = select("accountChanges.indexedBefore", {
  fields: { sequence: accountChanges.sequence },
  from: accountChanges,
  where: and(isIndexedOfAccount, lt(accountChanges.sequence, integerInput("before"))),
  orderBy: [desc(accountChanges.sequence)],
  paged: true,
});
const indexedAfter = select("accountChanges.indexedAfter", {
  fields: { sequence: accountChanges.sequence },
  from: accountChanges,
  where: and(isIndexedOfAccount, gt(accountChanges.sequence, integerInput("after"))),
  orderBy: [desc(accountChanges.sequence)],
});
const indexedTotal = select("accountChanges.total", {
  fields: { count: count() },
  from: accountChanges,
  where: isIndexedOfAccount,
});
/** Removes a change from the index, if it is in it. */
export const removeFromIndex = remove("accountChanges.remove", {
  from: accountChanges,
  where: allOf(isIndexedOfAccount, eq(accountChanges.sequence, integerInput("sequence"))),
  key: ["accountId", "sequence"],
});

/** The organization's last sequence number; 0 without changes. */
export async function lastSequence(reader: TenantReader): Promise<number> {
  const [row] = await reader.all(last, { limit: 1, offset: 0 });
  return row?.sequence ?? 0;
}

/** Adds the block of changes that ends with `sequence` to the index. */
export function indexBlockUpTo(tx: TenantWriter, sequence: number): Promise<void> {
  return tx.run(indexBlock, { after: sequence - indexedBlockSize, upTo: sequence });
}

/** The sequence numbers of the changes of an account before a sequence number, newest first. */
export async function readChangesBefore(
  reader: TenantReader,
  accountId: number,
  { before, limit }: { before: number; limit: number },
): Promise<number[]> {
  const { newest, end } = await readNewest(reader, accountId);
  const sequences = newest.filter((sequence) => sequence < before).slice(0, limit);
  const older = await reader.all(indexedBefore, {
    accountId,
    before: Math.min(before, end + 1),
    limit: limit - sequences.length,
    offset: 0,
  });
  return [...sequences, ...older.map(({ sequence }) => sequence)];
}

/**
 * The changes of an account after the last complete block, newest first, how many of them are not in the index, and the
 * end of the block.
 */
async function readNewest(reader: TenantReader, accountId: number) {
  const lastChange = await lastSequence(reader);
  const end = lastChange - (lastChange % indexedBlockSize);
  const unindexed = await reader.all(notIndexed, { accountId, after: end });
  const indexed = await reader.all(indexedAfter, { accountId, after: end });
  const newest = [...unindexed, ...indexed].map(({ sequence }) => sequence).sort((a, b) => b - a);
  return { newest, notIndexedCount: unindexed.length, end };
}

/** The number of changes of an account, and the sequence numbers of a page of them, newest first. */
export async function readChangesOfAccount(
  reader: TenantReader,
  accountId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; sequences: number[] }> {
  const { newest, notIndexedCount, end } = await readNewest(reader, accountId);
  const sequences = newest.slice(offset, offset + limit);
  const older = await reader.all(indexedBefore, {
    accountId,
    before: end + 1,
    limit: limit - sequences.length,
    offset: Math.max(0, offset - newest.length),
  });
  const [row] = await reader.all(indexedTotal, { accountId });
  return {
    total: notIndexedCount + (row?.count ?? 0),
    sequences: [...sequences, ...older.map(({ sequence }) => sequence)],
  };
}
