import type { Running } from "../binary/binary.ts";
import type { PrintLine, Proof, Scale } from "../support/proof.ts";
import { repliesTooEarly } from "./controls/kill.ts";
import { growsByRequests, refusesLate, slowsDown } from "./controls/overload.ts";
import { repliesBeforeCommit } from "./controls/postgres-kill.ts";
import { privateKilobytes } from "./memory.ts";
import { type OverloadGround, overloadPostgres, overloadSqlite } from "./overload-ground.ts";
import { type OverloadResult, startOverload } from "./overload-load.ts";

/** Seconds of the capacity, of three times its connections, and of three times its rate. */
const plans = {
  short: { capacity: 3, connections: 8, rate: 5 },
  long: { capacity: 20, connections: 60, rate: 60 },
};
/** They use the whole thread. */
const capacityConnections = 64;
const overloadFactor = 3;
/** For the rate: a connection has one request at a time. */
const rateConnections = 14_000;
const minGoodputShare = 0.9;
/** A second, of the key with a limit. */
const refusalsPerSecond = 100;
/** Of the median: a collection of garbage, and a checkpoint, take some tens of milliseconds. */
const maxRefusalMilliseconds = 10;
const maxGrowthMegabytes = 32;

export const overload: Proof = {
  name: "overload",
  runsAlone: true,
  claim:
    "With three times the connections that use the whole capacity, the server answers as much as before, refuses at once, and needs no more memory; no acknowledged write is lost then, or at three times the rate",
  run: async (program, scale, print) => tryOverload(await overloadSqlite(program), scale, print),
  controls: [repliesTooEarly, slowsDown, refusesLate, growsByRequests],
};

export const postgresOverload: Proof = {
  ...overload,
  name: "postgres-overload",
  claim: `${overload.claim}, on PostgreSQL`,
  run: async (program, scale, print) => tryOverload(await overloadPostgres(program), scale, print),
  controls: [repliesBeforeCommit],
};

async function tryOverload(
  { keys, limitedKey, serve, storedIds, check }: OverloadGround,
  scale: Scale,
  print: PrintLine,
) {
  const seconds = plans[scale];
  const server = await serve();
  const { url } = server;
  const order = { url, keys, connections: capacityConnections };
  const atCapacity = await startOverload({
    ...order,
    seconds: seconds.capacity,
    prefix: "capacity",
  }).result();
  print(`capacity: ${describe(atCapacity)}`);
  const tripled = { connections: overloadFactor * capacityConnections, seconds: seconds.connections };
  const overloaded = startOverload({ ...order, ...tripled, prefix: "connections" });
  await overloaded.started;
  const limited = { url, keys: [limitedKey], connections: 8, ratePerSecond: refusalsPerSecond };
  const refusing = startOverload(
    { ...limited, seconds: seconds.connections - 1, prefix: "limited" },
    { isUrgent: process.getuid?.() === 0 },
  );
  const megabytes = await memoryFor(seconds.connections - 1, server);
  const [result, refused] = [await overloaded.result(), await refusing.result()];
  print(`${tripled.connections} connections: ${describe(result)}; private memory ${megabytes.join(", ")} MB`);
  print(`refusals: ${describe(refused)}`);
  const flood = startOverload({
    ...{ url, keys, connections: rateConnections, seconds: seconds.rate + 1, prefix: "rate" },
    ratePerSecond: overloadFactor * atCapacity.goodput,
  });
  await flood.started;
  const floodMegabytes = await memoryFor(seconds.rate, server);
  // During the load: an acknowledgement before the commit is found.
  await server.stop("SIGKILL");
  const flooded = await flood.result();
  print(`three times the rate: ${describe(flooded)}; private memory ${floodMegabytes.join(", ")} MB`);
  const restarted = await serve();
  const stored = new Set(await storedIds());
  await restarted.stop();
  const loads = [atCapacity, result, refused, flooded];
  const acknowledged = loads.flatMap((load) => load.acknowledged);
  const lost = acknowledged.filter((id) => !stored.has(id));
  const faults = [...(await check()), ...faultsOfTimes(atCapacity, result, refused)];
  if (lost.length > 0) faults.push(`${lost.length} acknowledged writes are lost, such as ${lost[0]}`);
  // In seconds, 14,000 connections have not used all that they need.
  const periods = scale === "long" ? [megabytes, floodMegabytes] : [megabytes];
  for (const growth of periods.map(growthOf))
    if (growth > maxGrowthMegabytes) faults.push(`memory grew by ${growth} MB in the second half`);
  const statuses = Object.keys(Object.assign({}, ...loads.map((load) => load.statuses)));
  for (const status of statuses)
    if (!/^(?:20[01]|429|503|closed|no connection)/.test(status)) faults.push(`a reply is ${status}`);
  return {
    tried: {
      "requests in a second at capacity": Math.round(atCapacity.goodput),
      "with three times the connections": Math.round(result.goodput),
      "at three times the rate": Math.round(flooded.goodput),
      refusals: refused.statuses["429 rate_limited"] ?? 0,
      "acknowledged writes": acknowledged.length,
    },
    faults,
  };
}

/** The private megabytes of the server, each second. */
async function memoryFor(seconds: number, server: Running): Promise<number[]> {
  const megabytes: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    await Bun.sleep(1_000);
    megabytes.push(Math.round(privateKilobytes(server.pid) / 1_024));
  }
  return megabytes;
}

function growthOf(megabytes: readonly number[]): number {
  const half = Math.ceil(megabytes.length / 2);
  return Math.max(...megabytes.slice(half)) - Math.max(...megabytes.slice(0, half));
}

function faultsOfTimes(atCapacity: OverloadResult, overloaded: OverloadResult, refused: OverloadResult) {
  const share = overloaded.goodput / atCapacity.goodput;
  const { medianRefusalMilliseconds } = refused;
  const faults: string[] = [];
  if (share < minGoodputShare) faults.push(`goodput is ${Math.round(share * 100)} % of the capacity`);
  if (medianRefusalMilliseconds > maxRefusalMilliseconds)
    faults.push(`the median of refusals is ${medianRefusalMilliseconds.toFixed(1)} ms`);
  return faults;
}

function describe({ goodput, sentPerSecond, statuses, ...times }: OverloadResult): string {
  const { medianRefusalMilliseconds, refusalMilliseconds, successMilliseconds } = times;
  return `${goodput.toFixed(0)} of ${sentPerSecond.toFixed(0)} in a second, p99 ${successMilliseconds.toFixed(1)} ms, of refusals ${refusalMilliseconds.toFixed(1)} ms (median ${medianRefusalMilliseconds.toFixed(1)}), ${JSON.stringify(statuses)}`;
}
