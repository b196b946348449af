import { Database } from "bun:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { cutsConnections, exitsOnSignal, readsNoMore, waitsTooLong } from "./controls/stop.ts";
import { type Restartable, restartable } from "./restarts.ts";
import { Load } from "./stop-load.ts";
import { unsound } from "./stored-halves.ts";

/** The number of kept connections, and of clients that open a connection for each request. */
const [kept, fresh] = [32, 4];
/** The number of stops without an incomplete request, and of stops with an incomplete body, which take seconds. */
const demand = { short: { plain: 12, held: 1 }, long: { plain: 100, held: 20 } };
const stopsOfOneFile = 20;
/** Milliseconds: of load before the signal, until the end after it, and until the first replies. */
const [shortest, longest] = [20, 150];
const slowestEnd = 10_000;
const patience = 30_000;

export const stop: Proof = {
  name: "stop",
  runsAlone: true,
  claim:
    "after SIGTERM under load every request that was sent before it gets a reply, and the exit code is 0 within 10 s",
  run,
  controls: [exitsOnSignal, cutsConnections, readsNoMore, waitsTooLong],
};

type Seen = {
  stops: number;
  held: number;
  answered: number;
  across: number;
  later: number;
  faults: string[];
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const { plain, held } = demand[scale];
  const seen: Seen = { stops: 0, held: 0, answered: 0, across: 0, later: 0, faults: [] };
  await Promise.all([stopAgain(plain, false), stopAgain(held, true)]);
  const { stops, answered, across, faults } = seen;
  print(`${seen.later} requests were sent after a signal, and closed without an answer`);
  const tried = {
    stops,
    "with half a body": seen.held,
    "requests answered": answered,
    "sent before and answered after the signal": across,
  };
  return { tried, faults };

  async function stopAgain(times: number, isHeld: boolean): Promise<void> {
    for (let done = 0; done < times && seen.faults.length === 0; ) {
      const database = await restartable(program);
      const created = new Set<string>();
      const until = Math.min(times, done + stopsOfOneFile);
      for (; done < until && seen.faults.length === 0; done += 1)
        await stopUnderLoad(database, isHeld, created, seen);
      seen.faults.push(...(await database.end()));
      print(`${seen.stops} stops, ${seen.answered} requests answered`);
    }
  }
}

async function stopUnderLoad(database: Restartable, isHeld: boolean, created: Set<string>, seen: Seen) {
  await database.start();
  const load = new Load(database.url(), database.key, `stop-${seen.stops}-${isHeld ? "held" : "plain"}`);
  const clients = [
    ...Array.from({ length: kept }, () => load.overOne()),
    ...Array.from({ length: fresh }, () => load.overMany()),
    ...(isHeld ? [load.hold()] : []),
  ];
  const deadline = performance.now() + patience;
  while (load.answered < kept + fresh) {
    if (performance.now() > deadline) throw new Error("the clients were not answered in time");
    await Bun.sleep(1);
  }
  await Bun.sleep(shortest + Math.random() * (longest - shortest));
  // Directly after a reply, when the program cannot have read the requests just sent.
  const { answered } = load;
  while (load.answered === answered) {
    if (performance.now() > deadline) throw new Error("the clients were not answered in time");
    await nextTurn();
  }
  const begun = performance.now();
  load.isSignalled = true;
  const code = await database.running().stop("SIGTERM");
  const took = performance.now() - begun;
  await Promise.all(clients);
  seen.stops += 1;
  if (isHeld) seen.held += 1;
  seen.answered += load.answered;
  seen.across += load.answeredAcross;
  seen.later += load.closedLater;
  seen.faults.push(...load.faults);
  if (code !== 0) seen.faults.push(`exit ${code}: ${database.running().stderr()}`);
  if (took > slowestEnd) seen.faults.push(`the end came ${took.toFixed(0)} ms after the signal`);
  for (const externalId of load.created) created.add(externalId);
  seen.faults.push(...faultsIn(database.database, created));
}

/** Exactly the acknowledged changes are stored. */
function faultsIn(database: string, created: ReadonlySet<string>): string[] {
  const file = new Database(database, { readwrite: true });
  try {
    const rows = file.query<{ name: string }, []>("SELECT external_id AS name FROM accounts").all();
    const stored = new Set(rows.map(({ name }) => name));
    const lost = [...created.difference(stored)].map((name) => `${name} was answered, and is not stored`);
    const more = [...stored.difference(created)].map((name) => `${name} is stored, and was not answered`);
    return [...lost, ...more, ...unsound(file)];
  } finally {
    file.close();
  }
}
