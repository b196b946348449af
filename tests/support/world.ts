import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEngine } from "../../db/postgres/engine.ts";
import { findFaults, postgresStorage } from "../../db/postgres/storage.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { checkDatabase, sqliteStorage } from "../../db/sqlite/storage.ts";
import { createAppServices } from "../../src/app.ts";
import { Followers } from "../../src/core/changes/followers.ts";
import { Tenant } from "../../src/core/tenant/tenant.ts";
import type { ByteBudget } from "../../src/http/byte-budget.ts";
import { createFetch } from "../../src/http/create-fetch.ts";
import type { LimitSettings } from "../../src/http/guard/admission.ts";
import type { StoreState } from "../../src/http/probes.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import type { LogFields } from "../../src/log.ts";
import { reactions as allReactions } from "../../src/reactions.ts";
import type { WebhookRules } from "../../src/webhooks/send/address-rules.ts";
import { borrowApp } from "./apps.ts";
import { closeAfterTest } from "./cleanup.ts";
import { checkReply } from "./contract.ts";
import { newPostgresDatabase } from "./postgres-database.ts";
import { rawSqlOfFile, rawSqlOfPostgres } from "./raw-sql.ts";
import { slowEngine } from "./slow-engine.ts";
import { createOrganizationWithKey, template } from "./template.ts";

export type Body = Record<string, unknown>;
/** A reply with its text. `body` is its JSON, or an empty object for an empty text. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a reply and compares it.
export type Reply = { status: number; headers: Headers; text: string; body: any };
type WorldOptions = {
  reactions?: typeof allReactions;
  readWorkers?: number;
  budget?: ByteBudget;
  limits?: LimitSettings;
  hasConsole?: boolean;
  hasConsoleLogos?: boolean;
  isOverTls?: (request: Request) => boolean;
  webhookRules?: WebhookRules;
  storeState?: () => StoreState;
  backupFailedAt?: () => number | undefined;
};
type CallOptions = { key?: string | null; headers?: Record<string, string> };

/** The initial time of every world: 2026-01-02T03:04:05.678Z. */
export const beginning = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
export const beginningText = "2026-01-02T03:04:05.678Z";

/** A path in a new folder that is removed after the test. */
export function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "accountd-"));
  closeAfterTest(async () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

export const isPostgres = /^postgres/.test(Bun.env.TEST_ENGINE ?? "");
/** The copies of the service on one database, each with its engine, jobs and caches. */
const copyCount = Bun.env.TEST_ENGINE === "postgres-copies" ? 2 : 1;

async function openInFile(options: Omit<Parameters<typeof openDatabase>[1], "canCreate">) {
  const file = temporaryFile("accountd.db");
  const { bytes, first, second } = await template(beginning);
  writeFileSync(file, bytes, { mode: 0o600 });
  const openEngine = async () => {
    const opening = openDatabase(file, options);
    const engine = Bun.env.TEST_ENGINE === "slow" ? slowEngine(opening, file) : opening;
    closeAfterTest(() => engine.close());
    return engine;
  };
  const faults = async (firstCompleteDay: number) => checkDatabase(file, { firstCompleteDay });
  const storage = sqliteStorage(file);
  return { file, storage, first, second, openEngine, faults, ...rawSqlOfFile(file) };
}

async function openInPostgres(clocks: { clock: () => number; elapsed: () => number }) {
  const { url, sql, sessions, first, second, release } = await newPostgresDatabase(beginning);
  closeAfterTest(release);
  const openEngine = async () => {
    const { newSession, keep } = sessions.forEngine();
    const connections = { readConnections: 2, writeLanes: 1 };
    const engine = startEngine(url, { ...clocks, connections }, newSession);
    closeAfterTest(() => keep(() => engine.close()));
    return engine;
  };
  const faults = (firstCompleteDay: number) => findFaults(sql, firstCompleteDay);
  return {
    file: "",
    storage: postgresStorage(url),
    first,
    second,
    openEngine,
    faults,
    ...rawSqlOfPostgres(sql),
  };
}

/** The body of a response; empty for a stream, which has no end. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") !== "text/event-stream") return response.text();
  await response.body?.cancel();
  return "";
}

/**
 * The service on a new database with a fixed clock and two organizations, each with a key. `call` sends a request of
 * the first organization, validates the reply against the OpenAPI document, and returns it. With several copies each
 * request is sent to the next one; `app`, `engine` and `jobs` are those of the first copy.
 */
export async function world({
  reactions = allReactions,
  budget,
  limits,
  hasConsole,
  hasConsoleLogos,
  isOverTls,
  webhookRules,
  storeState,
  backupFailedAt,
  ...options
}: WorldOptions = {}) {
  let now = beginning;
  let jumped = 0;
  const clocks = { clock: () => now, elapsed: () => now - jumped };
  const database = await (isPostgres ? openInPostgres(clocks) : openInFile({ ...clocks, ...options }));
  const { file, storage, first, second, rows, execute, failOn, faults, openEngine } = database;
  const lines: { event: string; fields: LogFields | undefined }[] = [];
  const write = (event: string, fields?: LogFields) => void lines.push({ event, fields });
  const startCopy = async () => {
    const engine = await openEngine();
    // Long enough for the job of a request to finish on a busy machine.
    const maxWaitMilliseconds = 30_000;
    const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400, maxWaitMilliseconds });
    const log = { info: write, error: write };
    const followers = new Followers(engine);
    closeAfterTest(async () => followers.stop());
    const { app, release } = borrowApp(
      createAppServices({
        engine,
        jobs,
        followers,
        reactions,
        log,
        hasConsole,
        hasConsoleLogos,
        isOverTls,
        ...(webhookRules && { webhookRules }),
        ...(storeState && { storeState }),
        ...(backupFailedAt && { backupFailedAt }),
        ...(budget && { budget }),
        ...(limits && { limits }),
      }),
    );
    closeAfterTest(async () => release());
    return { engine, jobs, app, fetch: budget ? createFetch(app.fetch, { budget }) : app.fetch };
  };
  const copy = await startCopy();
  const { engine, jobs, app } = copy;
  const copies = [copy];
  // A budget and the limits of requests are those of one process.
  while (!budget && !limits && copies.length < copyCount) copies.push(await startCopy());
  let requestCount = 0;

  async function call(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Reply> {
    const { key = first.key, headers = {} } = options;
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: {
        ...(key !== null && { "x-api-key": key }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const { fetch } = copies[requestCount++ % copies.length] ?? copy;
    const response = await fetch(request);
    const text = await textOf(response);
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== "";
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : {},
    };
    await checkReply(app, method, path, reply);
    return reply;
  }

  return {
    app,
    engine,
    jobs,
    /** The SQLite file; empty on PostgreSQL. */
    file,
    storage,
    lines,
    first,
    second,
    rows,
    execute,
    failOn,
    /** The faults that `accountd check` reports. */
    faults,
    /** Another engine on the same database. */
    openEngine,
    newOrganization: (name: string) => createOrganizationWithKey(engine, name),
    call,
    /** Creates an account and returns the account of the reply. */
    async account(body: Body, options: CallOptions = {}) {
      const reply = await call("POST", "/api/v1/accounts", body, options);
      if (reply.status !== 201) throw new Error(`not created: ${reply.text}`);
      return reply.body.data;
    },
    /** A tenant with the command line as its actor. */
    tenant: (organizationId = first.id) =>
      new Tenant(
        { engine, reactions, runJob: jobs.runJob },
        { organizationId, actor: { type: "cli" }, requestId: null },
      ),
    /** Advances the clock by milliseconds. */
    pass(milliseconds: number) {
      now += milliseconds;
    },
    /** Changes the wall clock, but not the monotonic one. */
    jump(milliseconds: number) {
      now += milliseconds;
      jumped += milliseconds;
    },
    now: () => now,
  };
}
