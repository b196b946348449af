import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Engine } from "../../db/engine.ts";
import { UnusableDatabase } from "../../db/errors.ts";
import { countPending } from "../../db/migration.ts";
import { fold, foldAddress } from "../core/folding.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { erasureLogName, type LoggedErasure } from "../server/erasure-log.ts";
import { storageOf } from "../server/storage.ts";

/** What the restored file lacks: the contacts that the database before erased, and the log of the server. */
type LaterErasures = { contactIds: ErasedContacts | undefined; log: ErasureLog | undefined };

/** The ids of the contacts that erasures have changed, by organization. */
type ErasedContacts = ReadonlyMap<number, ReadonlySet<number>>;
type ErasureLog = { erasures: LoggedErasure[]; unreadableLineCount: number };

/** Reads the log of erasures next to a backup; undefined without one. Throws UnusableDatabase. */
export function readErasureLog(backup: string): ErasureLog | undefined {
  const path = join(dirname(backup), erasureLogName);
  if (!existsSync(path)) return undefined;
  const lines = textOf(path)
    .split("\n")
    .filter((line) => line !== "");
  const erasures = lines.flatMap((line) => parseLine(line) ?? []);
  return { erasures, unreadableLineCount: lines.length - erasures.length };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UnusableDatabase(`${path} cannot be read. Move it away to restore the backup without it.`);
  }
}

/** Undefined for a line that a crash or a full disk has cut: its person was not erased. */
function parseLine(line: string): LoggedErasure | undefined {
  try {
    const { time, organizationId, hashes } = JSON.parse(line);
    if (Array.isArray(hashes) && !Number.isNaN(Date.parse(time))) return { time, organizationId, hashes };
  } catch {
    // Also a line with `null`.
  }
  return undefined;
}

/** Undefined for a database that is damaged, or of another version: this binary has no statements for it. */
export async function erasedContactsOf(database: string): Promise<ErasedContacts | undefined> {
  try {
    const storage = await storageOf(database);
    if (countPending(await storage.migrationStates()) > 0) return undefined;
    const reader = await storage.openReader({ clock: Date.now });
    try {
      const { listOrganizations } = await import("../organizations/store.ts");
      const { RecordedContacts } = await import("../erasures/links.ts");
      // Safe: what only reads uses nothing else of an engine.
      const engine = reader as Engine;
      const found = new Map<number, ReadonlySet<number>>();
      for (const { id } of await listOrganizations(engine))
        found.set(id, (await RecordedContacts.read(await tenantOf(engine, id))).erasedIds);
      return found;
    } finally {
      await reader.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Erases persons in a restored file who were erased later. Returns their number; undefined when the file has the schema of
 * another version.
 */
export async function eraseAgain(restored: string, later: LaterErasures): Promise<number | undefined> {
  const storage = await storageOf(restored);
  if (countPending(await storage.migrationStates()) > 0) return undefined;
  const engine = await storage.open({
    clock: Date.now,
    isExclusive: true,
    canMigrate: false,
    fold,
    foldAddress,
  });
  try {
    return await eraseInAll(engine, later);
  } finally {
    await engine.close();
  }
}

async function tenantOf(engine: Engine, organizationId: number): Promise<Tenant> {
  // Loaded here, because the statements take time to load.
  const { Tenant } = await import("../core/tenant/tenant.ts");
  const { reactions } = await import("../reactions.ts");
  return new Tenant(
    { engine, reactions, runJob: async () => {} },
    { organizationId, actor: { type: "cli" }, requestId: null },
  );
}

async function eraseInAll(engine: Engine, { contactIds, log }: LaterErasures): Promise<number> {
  const { listOrganizations } = await import("../organizations/store.ts");
  const { personsOf } = await import("../erasures/links.ts");
  const { newestChangeAt, personsWithHashes } = await import("../erasures/hashed-persons.ts");
  const { erasePerson } = await import("../erasures/store.ts");
  let count = 0;
  for (const { id } of await listOrganizations(engine)) {
    const tenant = await tenantOf(engine, id);
    const hashes = hashesOf(log, id, await newestChangeAt(tenant));
    for (const person of [
      ...(await personsOf(tenant, contactIds?.get(id) ?? new Set())),
      ...(await personsWithHashes(tenant, hashes)),
    ]) {
      const counts = await erasePerson(tenant, person, false);
      if (counts.contacts + counts.events + counts.usageUsers + counts.changes > 0) count += 1;
    }
  }
  return count;
}

/** Timestamps of changes can be an hour ahead of a clock that was set back, and an erasure takes minutes. */
const marginMilliseconds = 2 * 3_600_000;

/** The hashes of who was erased in an organization after its newest change. A change in the future has no meaning. */
function hashesOf(log: ErasureLog | undefined, id: number, newestChangeAt: number): ReadonlySet<string> {
  const after = newestChangeAt > Date.now() ? 0 : newestChangeAt - marginMilliseconds;
  const erasures = log?.erasures ?? [];
  return new Set(
    erasures
      .filter(({ time, organizationId }) => organizationId === id && Date.parse(time) >= after)
      .flatMap(({ hashes }) => hashes),
  );
}
