import { parseArgs } from "node:util";
import { binary } from "../binary/build.ts";
import { database } from "../faults/database-kept.ts";
import { durableServer, preparePostgres } from "../faults/postgres-ground.ts";
import { closeAfterTest, closeAll } from "../support/cleanup.ts";
import { Random } from "../support/random.ts";
import { type Client, createAccounts, sendOne } from "./load.ts";
import { type Measure, type Sample, type Sampled, sample, slopePerHour } from "./samples.ts";

/**
 * Sends requests of every kind at a constant rate for a long time, with streams and webhooks:
 * `bun run test:soak --minutes N [--engine sqlite|postgres] [--rate N]`. Prints what it measures each minute. Fails when
 * a measure grows after the first third of the time, or when a response is a 5xx.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    engine: { type: "string", default: "sqlite" },
    rate: { type: "string", default: "60" },
  },
});
const [minutes, requestsPerSecond] = [Number(values.minutes), Number(values.rate)];
if (!(minutes > 0 && requestsPerSecond > 0)) throw new Error("--minutes and --rate are numbers over 0");
const workerCount = 8;
const streamCount = 10;
const sampleSeconds = 1;
/**
 * The most that each measure may grow in an hour. PostgreSQL's own memory is printed only: each of its connections keeps
 * the statements that the server has prepared, until it has its maximum.
 */
const maxSlopes: Partial<Record<Measure, number>> = {
  privateMB: 1,
  descriptors: 1,
  readers: 0.5,
  walMB: 1,
};

type Service = { url: string; keys: string[]; sampled: Sampled; end: () => Promise<string[]> };

async function startSqlite(): Promise<Service> {
  const { file, key, createOrganization, serve } = await database([await binary()], undefined, [
    "--webhooks-insecure",
  ]);
  const keys = [key, await createOrganization("Other")];
  const server = await serve();
  return {
    url: server.url,
    keys,
    sampled: { pid: server.pid, file },
    async end() {
      await server.stop();
      // The file of hours is large.
      const { exitCode, stderr } = Bun.spawnSync([await binary(), "check", "--database", file]);
      return exitCode === 0 ? [] : [stderr.toString()];
    },
  };
}

async function startOnPostgres(): Promise<Service> {
  const postgres = await durableServer();
  const ground = await preparePostgres([await binary()], postgres);
  const server = await ground.serve(0, ground.urlOf(0), { WEBHOOKS_INSECURE: "true" });
  return {
    url: server.url,
    keys: ground.keys.slice(0, 2),
    sampled: { pid: server.pid, databasePid: postgres.pid() },
    async end() {
      await server.stop();
      return ground.check();
    },
  };
}

/** Two webhooks of the first key: one whose receiver succeeds, and one whose receiver fails. Returns the counts of requests. */
async function receiveWebhooks({ url, keys: [key = ""] }: Service): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const receiver = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      await request.arrayBuffer();
      const { pathname } = new URL(request.url);
      counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
      return new Response(null, { status: pathname === "/fails" ? 500 : 204 });
    },
  });
  closeAfterTest(() => receiver.stop(true));
  for (const path of ["/succeeds", "/fails"]) {
    const response = await fetch(`${url}/api/v1/webhooks`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ url: `http://127.0.0.1:${receiver.port}${path}` }),
    });
    if (response.status !== 201) throw new Error(`POST /api/v1/webhooks: ${await response.text()}`);
  }
  return counts;
}

/** Reads a stream of changes; opens it again after some seconds, until the end. */
async function readStreams(client: Client, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const signal = AbortSignal.timeout(1_000 * (5 + client.random.below(60)));
    try {
      const response = await fetch(`${client.url}/api/v1/changes/stream`, {
        headers: { "x-api-key": client.key },
        signal,
      });
      if (response.body) for await (const _ of response.body);
    } catch (error) {
      if (!signal.aborted && !isOver()) throw error;
    }
  }
}

/** Sends requests one after another, each at its time. */
async function sendAll(client: Client, counts: Map<string, number>, isOver: () => boolean): Promise<void> {
  const pause = (1_000 * workerCount) / requestsPerSecond;
  for (let next = performance.now(); !isOver(); next += pause) {
    await Bun.sleep(Math.max(0, next - performance.now()));
    await sendOne(client, counts);
  }
}

function print(last: Sample, counts: ReadonlyMap<string, number>): void {
  const measures = Object.entries(last).map(([name, value]) => `${name} ${value.toFixed(1)}`);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${measures.join(", ")}, ${total} requests`);
}

async function soak(): Promise<string[]> {
  const service = await (values.engine === "postgres" ? startOnPostgres() : startSqlite());
  const startedAt = performance.now();
  const elapsedMinutes = () => (performance.now() - startedAt) / 60_000;
  const isOver = () => elapsedMinutes() >= minutes;
  const counts = new Map<string, number>();
  const clients = service.keys.map(
    (key, i): Client => ({ url: service.url, key, random: new Random(i), ids: [], createdCount: 0 }),
  );
  const clientOf = (i: number): Client => {
    const client = clients[i % clients.length];
    if (!client) throw new Error("no client");
    return client;
  };
  const webhookCounts = await receiveWebhooks(service);
  for (const client of clients) await createAccounts(client, counts);
  const running = [
    ...Array.from({ length: workerCount }, (_, i) => sendAll(clientOf(i), counts, isOver)),
    ...Array.from({ length: streamCount }, (_, i) => readStreams(clientOf(i), isOver)),
  ];
  const samples: Sample[] = [];
  while (!isOver()) {
    await Promise.race([Bun.sleep(sampleSeconds * 1_000), Promise.all(running)]);
    const last = sample(service.sampled, elapsedMinutes());
    samples.push(last);
    if (samples.length % (60 / sampleSeconds) === 0) print(last, counts);
  }
  await Promise.all(running);
  console.log(`statuses: ${JSON.stringify(Object.fromEntries(counts))}`);
  console.log(`webhooks: ${JSON.stringify(Object.fromEntries(webhookCounts))}`);
  const faults = [...counts.keys()].filter((name) => name.length > 3);
  const steady = samples.filter((each) => each.minutes > minutes / 3);
  for (const [name, max] of Object.entries(maxSlopes)) {
    // Safe: the keys of the object.
    const slope = slopePerHour(steady, name as Measure);
    console.log(`${name}: ${slope.toFixed(2)} an hour after the first third; at most ${max}`);
    if (!(slope <= max)) faults.push(`${name} grows by ${slope.toFixed(2)} an hour`);
  }
  return [...faults, ...(await service.end())];
}

const faults = await soak().finally(closeAll);
console.log(faults.length === 0 ? "soak: nothing grows" : `soak failed: ${faults.join("; ")}`);
process.exit(faults.length === 0 ? 0 : 1);
