import { afterEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { administer } from "../../src/cli/administer.ts";
import { describeError, OperatorError } from "../../src/core/settings/operator-error.ts";
import { listOrganizations } from "../../src/organizations/store.ts";
import { openAdminSocket } from "../../src/server/admin-socket.ts";
import { temporaryFile } from "../support/world.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

test("a socket that accepts connections but does not reply is an error that says what to do", async () => {
  const file = temporaryFile("accountd.db");
  const server = createServer(() => {});
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(`${file}.sock`, resolve));
  const start = performance.now();
  const error = await administer(
    file,
    "createOrganization",
    { name: "Acme" },
    { canCreate: true, timeoutMilliseconds: 100 },
  ).catch((error: unknown) => error);
  expect(performance.now() - start).toBeLessThan(5_000);
  if (!(error instanceof OperatorError)) throw new Error(`no OperatorError: ${error}`);
  expect(error.code).toBe("server_unreachable");
  expect(error.message).toContain("Nothing was changed: restart the server, or stop it, and try again.");
});

test("a path below a file has no server: the error is that of the database", async () => {
  const file = temporaryFile("file");
  writeFileSync(file, "");
  for (const canCreate of [true, false]) {
    const work = administer(`${file}/accountd.db`, "createOrganization", { name: "Acme" }, { canCreate });
    const error = await work.then(
      () => undefined,
      (reason) => describeError(reason),
    );
    expect([error?.code, error?.message]).toEqual([
      "database_unusable",
      canCreate
        ? `${file}/accountd.db cannot be created. Check the permissions of its folder.`
        : `There is no database at ${file}/accountd.db. Name another with --database or DATABASE_URL.`,
    ]);
  }
});

test("the limit concerns only the first reply of a server: an operation may take longer", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock: () => 1, canCreate: true, isExclusive: true });
  const lines: string[] = [];
  const log = {
    info: (event: string) => void lines.push(event),
    error: (event: string) => void lines.push(event),
  };
  const slow = {
    ...engine,
    write: async (...parameters: Parameters<typeof engine.write>) => {
      await Bun.sleep(1_300);
      return engine.write(...parameters);
    },
  } as typeof engine;
  const socket = openAdminSocket(file, { engine: slow, log });
  try {
    const options = { timeoutMilliseconds: 1_000 };
    const created = await administer(file, "createOrganization", { name: "Acme" }, options);
    expect(await listOrganizations(engine)).toEqual([created]);
    expect(lines).toEqual(["admin_operation"]);
  } finally {
    await socket?.close();
    await engine.close();
  }
});
