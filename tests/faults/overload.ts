import { Database } from "bun:sqlite";
import type { Running } from "../binary/binary.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { repliesTooEarly } from "./controls/kill.ts";
import { repliesBeforeCommit } from "./controls/postgres-kill.ts";
import { database } from "./database-kept.ts";
import { privateKilobytes } from "./memory.ts";
import { type OverloadResult, startOverload } from "./overload-load.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";

/** Seconds of the measurement of the capacity, and of the overload. The short one is over before code is compiled. */
const plans = {
  short: { capacity: 3, overload: 6, checksTimes: false },
  long: { capacity: 20, overload: 60, checksTimes: true },
};
const organizationCount = 8;
const closedConnections = 256;
const overloadConnections = 14_000;
const overloadFactor = 3;
const minGoodputShare = 0.9;
/** The load program may send a little less than it is told. */
const minSentShare = 0.95;
const maxRefusalMilliseconds = 10;
const maxGrowthMegabytes = 32;
const storedAccounts = "select external_id from accounts where external_id is not null";

/** A server with organizations, which is killed and started again. */
type Served = {
  keys: readonly string[];
  serve: () => Promise<Running>;
  storedIds: () => Promise<unknown[]>;
  check: () => Promise<string[]>;
};

export const overload: Proof = {
  name: "overload",
  runsAlone: true,
  claim:
    "No acknowledged write is lost under overload; the long form: the server answers as much at three times its capacity as at it",
  run: async (program, scale, print) => tryOverload(await onSqlite(program), scale, print),
  controls: [repliesTooEarly],
};

export const postgresOverload: Proof = {
  ...overload,
  name: "postgres-overload",
  claim: `${overload.claim}, on PostgreSQL`,
  run: async (program, scale, print) => tryOverload(await onPostgres(program), scale, print),
  controls: [repliesBeforeCommit],
};

async function onSqlite(program: Program): Promise<Served> {
  const kept = await database(program);
  const keys: string[] = [];
  for (let i = 0; i < organizationCount; i += 1)
    keys.push(await kept.createOrganization(`Organization ${i}`));
  return {
    keys,
    serve: kept.serve,
    storedIds: async () => {
      using file = new Database(kept.file, { readonly: true });
      return file.query(storedAccounts).values().flat();
    },
    check: () =>
      kept.check().then(
        () => [],
        (error: Error) => [error.message],
      ),
  };
}

async function onPostgres(program: Program): Promise<Served> {
  const ground = await preparePostgres(program, await durableServer());
  return {
    keys: ground.keys,
    serve: () => ground.serve(0),
    storedIds: async () => (await query(ground.adminUrl(), storedAccounts)).flat(),
    check: ground.check,
  };
}

async function tryOverload({ keys, serve, storedIds, check }: Served, scale: Scale, print: PrintLine) {
  const seconds = plans[scale];
  const server = await serve();
  const order = { url: server.url, keys };
  const closed = await startOverload({
    ...{ ...order, connections: closedConnections, seconds: seconds.capacity, prefix: "capacity" },
  }).result();
  print(`capacity: ${describe(closed)}`);
  const running = startOverload({
    ...{ ...order, connections: overloadConnections, seconds: seconds.overload + 1, prefix: "overload" },
    ratePerSecond: overloadFactor * closed.goodput,
  });
  await running.started;
  const megabytes: number[] = [];
  for (let second = 0; second < seconds.overload; second += 1) {
    await Bun.sleep(1_000);
    megabytes.push(privateKilobytes(server.pid) / 1_024);
  }
  // During the load: an acknowledgement before the commit is found.
  await server.stop("SIGKILL");
  const open = await running.result();
  print(`overload: ${describe(open)}; private memory ${megabytes.map(Math.round).join(", ")} MB`);
  const restarted = await serve();
  const stored = new Set(await storedIds());
  await restarted.stop();
  const acknowledged = [...closed.acknowledged, ...open.acknowledged];
  const lost = acknowledged.filter((id) => !stored.has(id));
  const faults = [...(await check())];
  if (lost.length > 0) faults.push(`${lost.length} acknowledged writes are lost, such as ${lost[0]}`);
  const statuses = Object.keys({ ...closed.statuses, ...open.statuses });
  for (const status of statuses)
    if (!/^(?:20[01]|429|503|closed|no connection)/.test(status)) faults.push(`a reply is ${status}`);
  return {
    tried: {
      "requests in a second at capacity": Math.round(closed.goodput),
      "sent in a second": Math.round(open.sentPerSecond),
      "answered in a second": Math.round(open.goodput),
      "acknowledged writes": acknowledged.length,
    },
    faults: [...faults, ...(seconds.checksTimes ? faultsOfTimes(closed, open, megabytes) : [])],
  };
}

function faultsOfTimes(closed: OverloadResult, open: OverloadResult, megabytes: readonly number[]): string[] {
  const half = Math.ceil(megabytes.length / 2);
  const growth = Math.max(...megabytes.slice(half)) - Math.max(...megabytes.slice(0, half));
  const share = open.goodput / closed.goodput;
  const sentFactor = open.sentPerSecond / closed.goodput;
  return [
    ...(sentFactor < minSentShare * overloadFactor
      ? [`only ${sentFactor.toFixed(1)} times the capacity was sent`]
      : []),
    ...(share < minGoodputShare ? [`goodput is ${Math.round(share * 100)} % of the capacity`] : []),
    ...(open.refusalMilliseconds > maxRefusalMilliseconds
      ? [`the p99 of refusals is ${open.refusalMilliseconds.toFixed(1)} ms`]
      : []),
    ...(growth > maxGrowthMegabytes ? [`memory grew by ${growth.toFixed(0)} MB in the second half`] : []),
  ];
}

function describe({ goodput, sentPerSecond, statuses, ...times }: OverloadResult): string {
  const { refusalMilliseconds, successMilliseconds } = times;
  return `${goodput.toFixed(0)} of ${sentPerSecond.toFixed(0)} in a second, p99 ${successMilliseconds.toFixed(1)} ms, of refusals ${refusalMilliseconds.toFixed(1)} ms, ${JSON.stringify(statuses)}`;
}
