import { type AdminInput, type AdminOutput, runAdminOperation } from "../../admin/operations.ts";
import { adminSocketPath } from "../../admin/socket-path.ts";
import { storageOf } from "../../admin/storage.ts";
import { readConnections } from "../../config.ts";
import { OperatorError } from "../../core/settings/operator-error.ts";
import { callServer, resultOf } from "../administer.ts";

type ImportOperation = "beginImport" | "importRows";
/** Runs the operations of an import in the server of the database, or on the database itself. */
export type ImportSession = {
  run<N extends ImportOperation>(name: N, input: AdminInput<N>): Promise<AdminOutput<N>>;
  close(): Promise<void>;
};

/** The time in which a server that accepts a connection replies. */
const timeoutMilliseconds = 10_000;

/**
 * Begins an import into an organization, in the server that runs on the database; without one, and with PostgreSQL, on
 * the database itself, whose file is locked for that time. Throws OperatorError and UnusableDatabase.
 */
export async function beginImport(
  database: string,
  begin: AdminInput<"beginImport">,
): Promise<{ session: ImportSession } & AdminOutput<"beginImport">> {
  const storage = await storageOf(database, readConnections({}));
  const path = storage.file === undefined ? undefined : adminSocketPath(storage.file);
  const reply = path && (await callServer(path, "beginImport", begin, timeoutMilliseconds));
  if (path && reply) {
    const session: ImportSession = {
      run: (name, input) => runInServer(path, name, input),
      close: async () => {},
    };
    return { session, ...resultOf<"beginImport">(reply) };
  }
  const engine = await storage.open({
    clock: Date.now,
    isExclusive: true,
    canMigrate: false,
    onClockDiffers: undefined,
  });
  const session: ImportSession = {
    run: (name, input) => runAdminOperation({ engine }, name, input),
    close: () => engine.close(),
  };
  try {
    return { session, ...(await session.run("beginImport", begin)) };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function runInServer<N extends ImportOperation>(
  path: string,
  name: N,
  input: AdminInput<N>,
): Promise<AdminOutput<N>> {
  const reply = await callServer(path, name, input, timeoutMilliseconds).catch((error: unknown) => {
    // Its message is about changes that must not be made twice.
    if (error instanceof OperatorError && error.code === "server_unreachable") return undefined;
    throw error;
  });
  if (!reply) throw new OperatorError("server_unreachable", "The server does not reply any more.");
  return resultOf<N>(reply);
}
