import { dirname, join } from "node:path";
import type { Engine, Reader } from "../../db/engine.ts";
import { countPending } from "../../db/migration.ts";
import { fold, foldAddress } from "../core/folding.ts";
import { erasureLogName, type LoggedErasure } from "../server/erasure-log.ts";
import { storageOf } from "../server/storage.ts";

/** The erasures after a time by organization: the hashes of the identifiers. */
type ErasedHashes = ReadonlyMap<number, ReadonlySet<string>>;

/** What the restored file lacks: the database before, and the erasures that the server logged next to its backups. */
export type LaterState = { database: string | undefined; log: ErasedHashes | undefined };

/** Reads the log of erasures next to a backup; undefined without one. `after` is in milliseconds since 1970 UTC. */
export async function readErasureLog(backup: string, after: number): Promise<ErasedHashes | undefined> {
  const file = Bun.file(join(dirname(backup), erasureLogName));
  if (!(await file.exists())) return undefined;
  const erased = new Map<number, Set<string>>();
  for (const line of (await file.text()).split("\n")) {
    const { time, organizationId, hashes } = parseLine(line) ?? {};
    if (time === undefined || organizationId === undefined || Date.parse(time) < after) continue;
    erased.set(organizationId, new Set([...(erased.get(organizationId) ?? []), ...(hashes ?? [])]));
  }
  return erased;
}

/** Undefined for an empty line, and for one that a crash has cut. */
function parseLine(line: string): Partial<LoggedErasure> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Erases persons in a restored file who were erased later: from the contacts of the database before, or by the log. Returns their
 * number; undefined when a file has another schema than this binary, which has no statements for it.
 */
export async function eraseAgain(
  restored: string,
  { database, log }: LaterState,
): Promise<number | undefined> {
  const target = await storageOf(restored);
  const source = database === undefined ? undefined : await storageOf(database);
  for (const storage of source ? [target, source] : [target])
    if (countPending(await storage.migrationStates()) > 0) return undefined;
  const reader = await source?.openReader({ clock: Date.now });
  try {
    const engine = await target.open({
      clock: Date.now,
      isExclusive: true,
      canMigrate: false,
      fold,
      foldAddress,
    });
    try {
      return await eraseInAll(engine, reader, log);
    } finally {
      await engine.close();
    }
  } finally {
    await reader?.close();
  }
}

async function eraseInAll(
  engine: Engine,
  newer: Reader | undefined,
  log: ErasedHashes | undefined,
): Promise<number> {
  // Loaded here, because the statements take time to load.
  const { listOrganizations } = await import("../organizations/store.ts");
  const { Tenant } = await import("../core/tenant/tenant.ts");
  const { RecordedContacts, personsOf } = await import("../erasures/links.ts");
  const { personsWithHashes } = await import("../erasures/hashed-persons.ts");
  const { erasePerson } = await import("../erasures/store.ts");
  const { reactions } = await import("../reactions.ts");
  let count = 0;
  for (const { id: organizationId } of await listOrganizations(engine)) {
    const tenantOf = (engine: Engine) =>
      new Tenant(
        { engine, reactions, runJob: async () => {} },
        { organizationId, actor: { type: "cli" }, requestId: null },
      );
    const tenant = tenantOf(engine);
    // Safe: what only reads uses nothing else of an engine.
    const later = newer && (await RecordedContacts.read(tenantOf(newer as Engine)));
    const hashes = log?.get(organizationId);
    for (const person of [
      ...(later ? await personsOf(tenant, later.erasedIds) : []),
      ...(hashes ? await personsWithHashes(tenant, hashes) : []),
    ]) {
      const counts = await erasePerson(tenant, person, false);
      if (counts.contacts + counts.events + counts.usageUsers + counts.changes > 0) count += 1;
    }
  }
  return count;
}
