import type { Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import { AccountsBook } from "./accounts-book.ts";
import { serialBodies } from "./controls/stalled.ts";
import { database } from "./database-kept.ts";
import { type Connection, connectTo, requestOf } from "./raw-connection.ts";
import { type Stalled, stall } from "./stalled-connections.ts";

const accounts = "/api/v1/accounts";
const accountsAtFirst = 50;
const clients = 4;
/** The milliseconds between a reply and the next request of a client. */
const pause = 1;
/** The timeout of a reply in milliseconds. */
const patience = 3_000;
/** The maximum milliseconds until the service closes stalled connections. */
const closedWithin = 18_000;

type Plan = {
  connections: number;
  rounds: number;
  /** The duration of each measurement in milliseconds. */
  time: number;
  waitsForTheEnd: boolean;
  /** The maximum p99 with stalled connections, when it is `quiet` without them. */
  allowed: (quiet: number) => number;
};

const plans: Record<Scale, Plan> = {
  // A generous limit for a busy machine: a broken service delays other requests by seconds.
  short: {
    connections: 50,
    rounds: 3,
    time: 600,
    waitsForTheEnd: false,
    allowed: (quiet) => 4 * quiet + 500,
  },
  long: { connections: 500, rounds: 9, time: 4_000, waitsForTheEnd: true, allowed: (quiet) => 2 * quiet },
};

export const stalled: Proof = {
  name: "stalled",
  runsAlone: true,
  claim: "Connections that stall during a request do not slow the others, and are closed",
  run: tryAll,
  controls: [serialBodies],
};

async function tryAll(program: Program, scale: Scale, print: (line: string) => void) {
  const { connections, rounds, time, waitsForTheEnd, allowed } = plans[scale];
  const kept = await database(program);
  const { url, stop } = await kept.serve();
  const book = new AccountsBook(kept.key);
  for (let i = 0; i < accountsAtFirst; i += 1) await book.write(url);
  const faults = [...book.faults];
  const [quiet, beside]: [number[], number[]] = [[], []];
  const tried = { "stalled connections": 0, "answers beside them": 0, ...(waitsForTheEnd && { closed: 0 }) };
  await measure(url, kept.key, time);
  for (let round = 1; round <= rounds; round += 1) {
    quiet.push(quantileOf(await measure(url, kept.key, time), 0.99));
    const idle = await stall(url, kept.key, connections);
    const times = await measure(url, kept.key, time);
    beside.push(quantileOf(times, 0.99));
    tried["answers beside them"] += times.length;
    if (idle.open() < connections) throw new Error("stalled connections were closed while it was measured");
    tried["stalled connections"] += connections;
    if (waitsForTheEnd) {
      faults.push(...(await closing(idle)));
      tried.closed = (tried.closed ?? 0) + idle.closedAfter.length;
    }
    idle.end();
    print(
      `round ${round}: p99 ${quiet.at(-1)?.toFixed(2)} ms, and ${beside.at(-1)?.toFixed(2)} ms beside them`,
    );
  }
  await stop("SIGKILL");
  const [without, within] = [quantileOf(quiet, 0.5), quantileOf(beside, 0.5)];
  if (within > allowed(without))
    faults.push(
      `one answer in a hundred took ${within.toFixed(1)} ms beside them, else ${without.toFixed(1)} ms`,
    );
  return { tried, faults };
}

/** The durations of the replies to some clients, in milliseconds. */
async function measure(url: string, key: string, time: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + time;
  const client = async (_: unknown, number: number) => {
    const id = number + 1;
    const requests = [
      requestOf(key, "GET", `${accounts}/${id}`),
      requestOf(key, "GET", accounts),
      requestOf(key, "PATCH", `${accounts}/${id}`, { mrr: number }),
      requestOf(key, "GET", `${accounts}?search=written`),
    ];
    let connection = await connectTo(url);
    for (let i = number; performance.now() < end; i += 1) {
      const start = performance.now();
      const isAnswered = await answered(connection, requests[i % requests.length] ?? "");
      times.push(performance.now() - start);
      if (!isAnswered) {
        connection.close();
        connection = await connectTo(url);
      }
      await Bun.sleep(pause);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}

/** Whether the reply was received before the timeout. */
async function answered(connection: Connection, request: string): Promise<boolean> {
  const answer = await withTimeLimit(patience, connection.send(request), undefined);
  if (answer === undefined) return false;
  if ("cut" in answer || answer.status !== 200) throw new Error(`an answer is ${JSON.stringify(answer)}`);
  return true;
}

async function closing({ open, closedAfter }: Stalled): Promise<string[]> {
  const end = performance.now() + closedWithin + 1_000;
  while (open() > 0 && performance.now() < end) await Bun.sleep(20);
  const late = closedAfter.filter((time) => time > closedWithin).length;
  return [
    ...(open() > 0 ? [`${open()} stalled connections stay open`] : []),
    ...(late > 0 ? [`${late} stalled connections were closed after more than ${closedWithin} ms`] : []),
  ];
}
