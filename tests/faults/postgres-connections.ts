import { SQL } from "bun";
import type { Running } from "../binary/binary.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import {
  abandonsTransactions,
  keepsLostConnections,
  rerunsLostCommits,
} from "./controls/postgres-connections.ts";
import { durableServer, type PostgresGround, preparePostgres, query } from "./postgres-ground.ts";
import { PostgresLoad } from "./postgres-load.ts";
import { poolSize, startPooler, whyNoPooler } from "./postgres-pooler.ts";
import { type ConnectionLoss, startLossProxy } from "./postgres-proxy.ts";

const maxMilliseconds = { reset: 5_000, silent: 8_000, afterwards: 2_000 };
const plans = {
  short: { rounds: 1, terminateMilliseconds: 1_500, exhaustMilliseconds: 1_000 },
  long: { rounds: 5, terminateMilliseconds: 5_000, exhaustMilliseconds: 5_000 },
};
/** The connections of a server: those of two copies, of the proof and of few others. */
const maxConnections = "48";
const hopelessMilliseconds = 10_000;
/** Longer than the time after which PgBouncer ends a client that waits for a connection. */
const holdMilliseconds = 4_000;

const atOnce = (state: ConnectionLoss["state"]): ConnectionLoss[] =>
  (["never", "now"] as const).map((arrives) => ({ state, arrives, resets: "both" }));
const resets: ConnectionLoss[] = [
  { state: "idle", arrives: "never", resets: "both" },
  ...(["key lookup", "begin of a read", "begin", "change", "commit"] as const).flatMap(atOnce),
  { state: "commit", arrives: "late", resets: "both" },
];
const silently = (
  resets: ConnectionLoss["resets"],
  ...rest: [ConnectionLoss["state"], ConnectionLoss["arrives"]][]
): ConnectionLoss[] => rest.map(([state, arrives]) => ({ state, arrives, resets }));
/** Lost at the same time by the lanes of one copy. The server learns of none of them. */
const silences: ConnectionLoss[][] = [
  [
    ...silently("none", ["begin", "now"], ["change", "in part"], ["commit", "never"], ["commit", "now"]),
    ...silently("client", ["commit", "never"]),
  ],
  silently("none", ["idle", "never"], ["begin", "never"], ["change", "never"], ["commit", "late"]),
  [
    ...silently("none", ["change", "now"], ["commit", "in part"]),
    ...silently("client", ["change", "in part"], ["commit", "now"]),
  ],
  silently("none", ["key lookup", "now"], ["begin of a read", "now"], ["begin of a read", "never"]),
];

export const postgresConnections: Proof = {
  name: "postgres-connections",
  claim:
    "When connections to PostgreSQL are lost in any state, ended or refused, every acknowledged change is stored once",
  run: (program, scale, print) => run(program, scale, print),
  controls: [rerunsLostCommits, keepsLostConnections, abandonsTransactions],
};

export const postgresPooler: Proof = {
  name: "postgres-pooler",
  claim:
    "The same through PgBouncer in transaction mode, also when other clients take all connections of a pool",
  missing: whyNoPooler,
  run: (program, scale, print) => run(program, scale, print, { isPooled: true }),
  controls: [rerunsLostCommits],
};

async function run(program: Program, scale: Scale, print: PrintLine, { isPooled = false } = {}) {
  const { rounds, terminateMilliseconds, exhaustMilliseconds } = plans[scale];
  const server = await durableServer({ settings: { max_connections: maxConnections } });
  const ground = await preparePostgres(program, server);
  const direct = [ground.urlOf(0), ground.urlOf(1)];
  const urls = isPooled ? (await startPooler(direct)).urls : direct;
  const proxies = await Promise.all(urls.map(startLossProxy));
  const copies: Running[] = [];
  for (const [copy, { url }] of proxies.entries())
    copies.push(await ground.serve(copy, url, { DATABASE_PREPARE: String(!isPooled) }));
  const load = new PostgresLoad(
    ground,
    copies.map((_, copy) => () => copies[copy]?.url),
  );
  const { faults } = load.ledger;
  const tried = {
    resets: 0,
    "silent losses": 0,
    "connections ended": 0,
    "refused connections": 0,
  };
  let takenCount = 0;
  const slowest = { recovery: 0 };
  const recover = async (event: string) => {
    slowest.recovery = Math.max(slowest.recovery, await load.recover(event, [0, 1]));
  };
  const lose = async (copy: number, loss: ConnectionLoss) => {
    const result = await withTimeLimit(hopelessMilliseconds, proxies[copy]?.lose(loss), "late");
    if (result === "late") throw new Error(`no connection was in the state ${loss.state}`);
  };

  async function loseWithReset(copy: number): Promise<void> {
    for (const loss of resets) {
      if (faults.length > 0) return;
      await lose(copy, loss);
      await recover(`a connection was reset: ${JSON.stringify(loss)}`);
      tried.resets += 1;
    }
  }

  /** Other clients take every connection of the server, and those of the copies are ended. */
  async function exhaust(): Promise<void> {
    const others = new Set<SQL>();
    const end = performance.now() + exhaustMilliseconds;
    while (performance.now() < end) {
      tried["connections ended"] += await endConnections(ground);
      await Promise.all(
        Array.from({ length: Number(maxConnections) }, async () => {
          const sql = new SQL({ url: ground.urlOf(0), max: 1, connectionTimeout: 2 });
          await sql.connect().then(
            () => others.add(sql),
            () => (tried["refused connections"] += 1),
          );
        }),
      );
    }
    await Promise.all([...others].map((sql) => sql.close({ timeout: 0 })));
    await recover("the server has free connections again");
  }

  /** Other clients of the pooler have transactions on all connections of the pool of a copy. */
  async function exhaustPool(): Promise<void> {
    const hold = async (): Promise<void> => {
      const sql = new SQL({ url: urls[0] ?? "", max: 1, prepare: false });
      const held = sql.begin(async (tx) => {
        await tx`select 1`.simple();
        takenCount += 1;
        await Bun.sleep(holdMilliseconds);
      });
      // The pooler ends a client that waits for too long.
      await held.catch(() => {});
      await sql.close({ timeout: 0 });
    };
    await Promise.all(Array.from({ length: poolSize }, hold));
    await recover("the pool has free connections again");
  }

  async function terminate(): Promise<void> {
    const end = performance.now() + terminateMilliseconds;
    while (performance.now() < end) {
      tried["connections ended"] += await endConnections(ground);
      await Bun.sleep(20);
    }
    await recover("connections are no longer ended");
  }

  async function loseSilently(copy: number, losses: readonly ConnectionLoss[]): Promise<void> {
    load.maxMilliseconds = maxMilliseconds.silent;
    await Promise.all(losses.map((loss) => lose(copy, loss)));
    tried["silent losses"] += losses.length;
    const event = `connections were lost silently: ${JSON.stringify(losses)}`;
    await load.recover(event, [0, 1], maxMilliseconds.silent + maxMilliseconds.afterwards);
    proxies[copy]?.closeLost();
    load.maxMilliseconds = maxMilliseconds.reset;
  }

  try {
    for (let round = 0; round < rounds && faults.length === 0; round += 1) {
      load.start();
      await load.acknowledge(100);
      await loseWithReset(round % 2);
      if (faults.length === 0) await terminate();
      await load.end();
      // The program lost a change, so further losses are not useful.
      if (faults.length > 0) break;
      load.start();
      await exhaust();
      if (isPooled) await exhaustPool();
      for (const losses of scale === "short" ? silences.slice(0, 1) : silences)
        await loseSilently(round % 2, losses);
      await load.end();
      print(`${round + 1} rounds, ${load.ledger.acknowledged} writes acknowledged`);
    }
  } finally {
    await load.stop();
  }
  return {
    tried: {
      ...tried,
      ...(isPooled && { "pool connections taken": takenCount }),
      "acknowledged writes": load.ledger.acknowledged,
      "ms to recover (max)": Math.ceil(slowest.recovery),
      "ms for a reply (max)": Math.ceil(load.slowestMilliseconds),
    },
    faults,
  };
}

/** Ends every connection of the copies; resolves with their number. */
async function endConnections({ adminUrl }: PostgresGround): Promise<number> {
  const rows = await query(
    adminUrl(),
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'accountd'",
  );
  return rows.length;
}
