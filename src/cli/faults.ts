import { maxFaults } from "../../db/comparisons.ts";
import {
  type DerivedFault,
  type DerivedKind,
  derivedKinds,
  type FaultPage,
} from "../../db/derived-faults.ts";
import { repairLeaseSeconds } from "../../db/engine.ts";
import type { Storage, StorageCheck } from "../../db/storage.ts";
import { fastPollMilliseconds } from "../../db/timer.ts";
import { maxScannedRows, writeBatchSize } from "../core/pauses.ts";
import { jsonOf, type Send } from "./client.ts";

/** Resolves with whether each value was repaired. */
type SendFaults = (faults: readonly DerivedFault[]) => Promise<readonly boolean[]>;

/** `clock`: milliseconds since 1970 UTC. */
type CheckOptions = Pick<StorageCheck, "firstCompleteDay" | "onNote"> & { clock: () => number };
export type FoundFaults = { texts: string[]; derived: DerivedFault[] };

/** All faults of a database, at most `maxFaults` of each kind. `derived`: the faults that `--repair` can repair. */
export async function findFaults(
  storage: Storage,
  { clock, ...options }: CheckOptions,
): Promise<FoundFaults> {
  const derived: DerivedFault[] = [];
  let isComparable = false;
  const texts = await storage.check({
    ...options,
    onDerived: (fault) => derived.push(fault),
    onCompared: () => {
      isComparable = true;
    },
  });
  const found = isComparable
    ? await compareRows(storage, clock, { kinds: ["foldedTexts", "scores"], max: maxFaults })
    : [];
  return { texts: [...texts, ...found.map(({ text }) => text)], derived: [...derived, ...found] };
}

/** Compares what code derives, and SQL cannot, page by page, next to a server. At most about `max` faults of each kind. */
async function compareRows(
  storage: Storage,
  clock: () => number,
  { kinds, max }: { kinds: readonly DerivedKind[]; max: number },
): Promise<DerivedFault[]> {
  // Loaded here, because the schema takes time to load.
  const { textComparisons } = await import("../repairs/texts.ts");
  const { findWrongScores } = await import("../health-scores/compare.ts");
  const { listOrganizations } = await import("../organizations/store.ts");
  const { TenantSnapshot } = await import("../core/tenant/transaction.ts");
  const comparisons = kinds.flatMap((kind) => (kind === "scores" ? [findWrongScores] : textComparisons));
  const reader = await storage.openReader({ clock });
  const found: DerivedFault[] = [];
  try {
    const organizations = await listOrganizations(reader);
    for (const compare of comparisons) {
      const end = found.length + max;
      for (const { id } of organizations)
        for (let lastId: number | undefined = 0; lastId !== undefined && found.length < end; ) {
          const after: number = lastId;
          const page: FaultPage = await reader.read((snapshot) =>
            compare(new TenantSnapshot(snapshot, id), after),
          );
          found.push(...page.faults);
          lastId = page.lastId;
        }
    }
  } finally {
    await reader.close();
  }
  return found;
}

/** A value may be rejected until another one is repaired, or change while it is compared. */
const maxPasses = 3;

/**
 * Repairs what can be derived. Returns the lines of what was repaired, and the faults after it. Waits until no other
 * command repairs the database: two of them would add the same difference twice. `onWait` is called before a wait.
 */
export async function findAndRepair(
  storage: Storage,
  send: Send,
  options: CheckOptions & { onWait?: () => void },
): Promise<{ repaired: string[]; found: FoundFaults }> {
  const found = await findFaults(storage, options);
  if (found.derived.length === 0) return { repaired: [], found };
  const path = `/operator/repairs/${crypto.randomUUID()}`;
  const begin = async () => (await jsonOf<{ hasBegun: boolean }>(send(path, { method: "PUT" }))).hasBegun;
  const sendFaults: SendFaults = async (faults) => {
    const reply = jsonOf<{ repaired: boolean[] }>(send(path, { method: "POST", body: { faults } }));
    return (await reply).repaired;
  };
  for (let attempt = 0; !(await begin()); attempt += 1) {
    if (attempt === 0) options.onWait?.();
    await Bun.sleep(fastPollMilliseconds);
  }
  // Each call extends the lease.
  const extend = () => void sendFaults([]).catch(() => {});
  const extending = setInterval(extend, (repairLeaseSeconds * 1_000) / 4);
  try {
    return await repairPasses(storage, sendFaults, options, found);
  } finally {
    clearInterval(extending);
    // Otherwise it expires.
    await send(path, { method: "DELETE" }).catch(() => {});
  }
}

async function repairPasses(
  storage: Storage,
  send: SendFaults,
  options: CheckOptions,
  before: FoundFaults,
): Promise<{ repaired: string[]; found: FoundFaults }> {
  const repaired: string[] = [];
  let found = before;
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const { derived } = found;
    const firstKind = derivedKinds.find((kind) => derived.some((fault) => fault.kind === kind));
    if (!firstKind) break;
    const lines = await repairFaults(storage, send, { ...options, firstKind });
    repaired.push(...lines);
    found = await findFaults(storage, options);
    if (lines.length === 0) break;
  }
  return { repaired, found };
}

/**
 * Repairs the values of the kinds, one kind after the other in their order, because a sum is compared with repaired
 * counts. Returns the lines of the repaired faults.
 */
async function repairFaults(
  storage: Storage,
  send: SendFaults,
  { firstKind, ...options }: CheckOptions & { firstKind: DerivedKind },
): Promise<string[]> {
  const lines: string[] = [];
  for (const kind of derivedKinds.slice(derivedKinds.indexOf(firstKind)))
    for (let hasMore = true; hasMore; ) {
      const faults = await findOfKind(storage, kind, options);
      // A name changes its type: its old count becomes 0 first.
      faults.sort((a, b) => a.difference - b.difference);
      const repaired: string[] = [];
      for (let start = 0; start < faults.length; start += writeBatchSize) {
        const batch = faults.slice(start, start + writeBatchSize);
        const isRepaired = await send(batch);
        repaired.push(...batch.flatMap(({ text }, i) => (isRepaired[i] ? [text] : [])));
      }
      lines.push(...repaired);
      hasMore = faults.length >= maxScannedRows && repaired.length > 0;
    }
  return lines;
}

async function findOfKind(storage: Storage, kind: DerivedKind, { clock, firstCompleteDay }: CheckOptions) {
  if (kind === "foldedTexts" || kind === "scores")
    return compareRows(storage, clock, { kinds: [kind], max: maxScannedRows });
  const faults: DerivedFault[] = [];
  const only = { kind, maxFaults: maxScannedRows };
  await storage.check({ firstCompleteDay, only, onDerived: (fault) => faults.push(fault) });
  return faults;
}
