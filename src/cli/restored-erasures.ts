import type { Engine, Reader } from "../../db/engine.ts";
import { countPending } from "../../db/migration.ts";
import { fold, foldAddress } from "../core/folding.ts";
import { storageOf } from "../server/storage.ts";

/**
 * Erases persons in a restored file whom an erasure removed from the contacts of a newer state of the database. Returns their number;
 * undefined when a file has another schema than this binary, which has no statements for it.
 */
export async function eraseAgain(restored: string, newer: string): Promise<number | undefined> {
  const [target, source] = [await storageOf(restored), await storageOf(newer)];
  for (const storage of [target, source])
    if (countPending(await storage.migrationStates()) > 0) return undefined;
  const reader = await source.openReader({ clock: Date.now });
  try {
    const engine = await target.open({
      clock: Date.now,
      isExclusive: true,
      canMigrate: false,
      fold,
      foldAddress,
    });
    try {
      return await eraseInAll(engine, reader);
    } finally {
      await engine.close();
    }
  } finally {
    await reader.close();
  }
}

async function eraseInAll(engine: Engine, newer: Reader): Promise<number> {
  // Loaded here, because the statements take time to load.
  const { listOrganizations } = await import("../organizations/store.ts");
  const { Tenant } = await import("../core/tenant/tenant.ts");
  const { RecordedContacts, personsOf } = await import("../erasures/links.ts");
  const { erasePerson } = await import("../erasures/store.ts");
  const { reactions } = await import("../reactions.ts");
  let count = 0;
  for (const { id: organizationId } of await listOrganizations(engine)) {
    const tenantOf = (engine: Engine) =>
      new Tenant(
        { engine, reactions, runJob: async () => {} },
        { organizationId, actor: { type: "cli" }, requestId: null },
      );
    // Safe: what only reads uses nothing else of an engine.
    const { erasedIds } = await RecordedContacts.read(tenantOf(newer as Engine));
    const tenant = tenantOf(engine);
    for (const person of await personsOf(tenant, erasedIds)) {
      const counts = await erasePerson(tenant, person, false);
      if (counts.contacts + counts.events + counts.usageUsers + counts.changes > 0) count += 1;
    }
  }
  return count;
}
