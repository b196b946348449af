import { asc, eq, isNotNull, or, sql } from "drizzle-orm";
import type { Engine, Reader } from "../../db/engine.ts";
import { allOf, inputs, integerInput, pick } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { select, update } from "../../db/statements.ts";
import type { DueCondition } from "./due-jobs.ts";
import { runLongChange } from "./long-changes.ts";

/** How long a request waits while another program prevents an erasure of the file. Then a job continues it. */
export const maxBlockedMilliseconds = 3_000;

const setPending = update("organizations.setErasurePending", {
  table: organizations,
  set: inputs(organizations, "erasurePendingSince"),
  where: eq(organizations.id, integerInput("id")),
});
const clearPending = update("organizations.clearErasurePending", {
  table: organizations,
  set: { erasurePendingSince: sql`null` },
  where: allOf(
    eq(organizations.id, integerInput("id")),
    eq(organizations.erasurePendingSince, integerInput("since")),
  ),
});
const pending = select("organizations.pendingErasures", {
  fields: pick(organizations, "id", "erasurePendingSince", "deletedAt"),
  from: organizations,
  where: or(isNotNull(organizations.erasurePendingSince), isNotNull(organizations.deletedAt)),
  orderBy: [asc(organizations.id)],
});

/**
 * The organizations whose erased or deleted rows may have left something in the file, or are being deleted. `since`:
 * milliseconds since 1970 UTC.
 */
export async function listPendingErasures(reader: Reader) {
  const rows = await reader.read((snapshot) => snapshot.all(pending, {}));
  return rows.map(({ id, erasurePendingSince, deletedAt }) => ({
    organizationId: id,
    since: deletedAt ?? erasurePendingSince ?? 0,
    isDeletion: deletedAt !== null,
  }));
}

export const fileErasuresDue: DueCondition = { isDue: isNotNull(organizations.erasurePendingSince) };

/** The erasure of what a request's rows left in the file. */
export type FileErasure = {
  /** As `Engine.eraseDeleted`. Throws EraseBlocked when another program prevents it for too long. */
  erasePart: () => Promise<boolean>;
  /** Leaves the rest to the job, also after a restart. */
  postpone: () => Promise<void>;
};

/** Runs a long change of an organization that erases what its rows left in the file. Throws as `runLongChange`. */
export function runErasure<T>(
  engine: Engine,
  id: number,
  run: (erasure: FileErasure) => Promise<T>,
): Promise<T> {
  return runLongChange(id, () =>
    run({
      erasePart: engine.eraseDeleted(maxBlockedMilliseconds),
      postpone: () => engine.write(id, (tx) => tx.run(setPending, { id, erasurePendingSince: tx.now })),
    }),
  );
}

type PendingPass = { erasePart: () => Promise<boolean>; since: number };

async function startIfPending(engine: Engine, id: number): Promise<PendingPass | undefined> {
  const all = await listPendingErasures(engine);
  const found = all.find(({ organizationId, isDeletion }) => organizationId === id && !isDeletion);
  return found && { erasePart: engine.eraseDeleted(0), since: found.since };
}

/**
 * Returns a function that erases one part of the file for an organization whose erasure was postponed, and resolves with
 * whether there is more. Throws EraseBlocked at once while another program prevents it.
 */
export function createFileEraser(engine: Engine): (organizationId: number) => Promise<boolean> {
  const passes = new Map<number, PendingPass>();
  return async (organizationId) => {
    const pass = passes.get(organizationId) ?? (await startIfPending(engine, organizationId));
    if (!pass) return false;
    passes.set(organizationId, pass);
    if (await pass.erasePart()) return true;
    passes.delete(organizationId);
    // An erasure that was postponed after the pass began stays pending.
    await engine.write(organizationId, (tx) =>
      tx.run(clearPending, { id: organizationId, since: pass.since }),
    );
    return false;
  };
}
