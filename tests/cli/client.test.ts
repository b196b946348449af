import { afterEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { jsonOf, type Send, withClient } from "../../src/cli/client.ts";
import { describeError, OperatorError } from "../../src/core/settings/operator-error.ts";
import { openOperatorSocket } from "../../src/server/operator-socket.ts";
import { operatorOf } from "../support/operator.ts";
import { temporaryFile } from "../support/world.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const create = (send: Send) =>
  jsonOf<{ id: number; name: string }>(
    send("/operator/organizations", { method: "POST", body: { name: "Acme" } }),
  );

test("a socket that accepts connections but does not reply is an error that says what to do", async () => {
  const file = temporaryFile("accountd.db");
  const server = createServer(() => {});
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(`${file}.sock`, resolve));
  const start = performance.now();
  const error = await withClient(file, "create", create, { timeoutMilliseconds: 100 }).catch(
    (error: unknown) => error,
  );
  expect(performance.now() - start).toBeLessThan(5_000);
  if (!(error instanceof OperatorError)) throw new Error(`no OperatorError: ${error}`);
  expect(error.code).toBe("server_unreachable");
  expect(error.message).toContain("Nothing was changed: restart the server, or stop it, and try again.");
});

test("a path below a file has no server: the error is that of the database", async () => {
  const file = temporaryFile("file");
  writeFileSync(file, "");
  for (const access of ["create", "write"] as const) {
    const error = await withClient(`${file}/accountd.db`, access, create).then(
      () => undefined,
      (reason) => describeError(reason),
    );
    expect([error?.code, error?.message]).toEqual([
      "database_unusable",
      access === "create"
        ? `${file}/accountd.db cannot be created. Check the permissions of its folder.`
        : `There is no database at ${file}/accountd.db. Name another with --database or DATABASE_URL.`,
    ]);
  }
});

test("the limit concerns only the first reply of a server: a request may take longer", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock: () => 1, canCreate: true, isExclusive: true });
  const { app, request, lines } = operatorOf(engine);
  const slow = async (sent: Request) => {
    if (sent.method === "POST") await Bun.sleep(1_300);
    return app.fetch(sent);
  };
  const close = openOperatorSocket(file, slow, { info() {}, error() {} });
  try {
    const created = await withClient(file, "write", create, { timeoutMilliseconds: 1_000 });
    expect(await request("/operator/organizations")).toEqual([{ ...created, traits: "off" }]);
    expect(lines.map(({ event }) => event)).toEqual(["admin_operation"]);
  } finally {
    await close();
    await engine.close();
  }
});

test("a server that has the lock of the file and opens its socket later gets the request", async () => {
  const file = temporaryFile("accountd.db");
  const engine = openDatabase(file, { clock: () => 1, canCreate: true, isExclusive: true });
  const { app } = operatorOf(engine);
  const created = withClient(file, "exclusive", create);
  await Bun.sleep(300);
  const close = openOperatorSocket(file, app.fetch, { info() {}, error() {} });
  try {
    expect((await created).name).toBe("Acme");
  } finally {
    await close();
    await engine.close();
  }
});
