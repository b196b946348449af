import type { Database } from "bun:sqlite";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { attachesLater, countsLater, storesLater } from "./controls/resend.ts";
import { connectTo, requestOf } from "./raw-connection.ts";
import { countedOnce, neverTaken, Outbox } from "./resend-outbox.ts";
import { Sender, type Tally } from "./resend-sender.ts";
import { killAmid, type Restartable, restartable } from "./restarts.ts";
import { inspect, unsound } from "./stored-halves.ts";

const senders = 6;
const demand = { short: { files: 1, killsOfEach: 5 }, long: { files: 20, killsOfEach: 20 } };
/** The number of replies between two kills. */
const [fewest, most] = [10, 60];

export const resend: Proof = {
  name: "resend",
  claim:
    "Events that are sent until they are acknowledged, across SIGKILLs, are counted once, pending ones too",
  run,
  controls: [countsLater, storesLater, attachesLater],
};

async function run(program: Program, scale: Scale, print: PrintLine) {
  const { files, killsOfEach } = demand[scale];
  const tally: Tally = { answers: 0, repeats: 0, parked: 0, madeLate: 0 };
  const faults: string[] = [];
  let kills = 0;
  let events = 0;
  for (let made = 0; made < files && faults.length === 0; made += 1) {
    const database = await restartable(program);
    const outbox = new Outbox();
    const all = Array.from({ length: senders }, () => new Sender(outbox, tally));
    await database.start();
    await makeAccounts(database, outbox);
    for (let i = 0; i < killsOfEach && faults.length === 0; i += 1) {
      faults.push(...(await killUnderSenders(database, all, tally)));
      kills += 1;
      await database.start();
      faults.push(...inspect(database.database, unsound));
    }
    const finishing = all.map((sender) => sender.finish(database.url(), database.key));
    faults.push(...(await Promise.all(finishing)).flat());
    faults.push(...inspect(database.database, (open) => [...unsound(open), ...miscounted(open, outbox)]));
    events += outbox.events.length;
    faults.push(...(await database.end()));
    print(`${kills} kills, ${events} events, ${tally.repeats} requests repeated`);
  }
  const { repeats, parked, madeLate } = tally;
  const tried = { kills, events, parked, "requests repeated": repeats, "accounts made late": madeLate };
  return { tried, faults };
}

async function makeAccounts({ url, key }: Restartable, outbox: Outbox): Promise<void> {
  const connection = await connectTo(url());
  for (const externalId of outbox.known) {
    const answer = await connection.send(
      requestOf(key, "POST", "/api/v1/accounts", { name: externalId, externalId }),
    );
    if ("cut" in answer || answer.status !== 201) throw new Error(`no account: ${JSON.stringify(answer)}`);
    outbox.accounts.add(externalId);
  }
  connection.close();
}

/** Runs all senders until some events are acknowledged, and kills the program. */
function killUnderSenders(database: Restartable, all: Sender[], tally: Tally): Promise<string[]> {
  const target = tally.answers + fewest + Math.random() * (most - fewest);
  const sending = all.map((sender) => sender.sendUntilCut(database.url(), database.key));
  return killAmid(database, sending, () => tally.answers >= target);
}

/** The events that the file does not count exactly once. */
function miscounted(open: Database, { events, accounts }: Outbox): string[] {
  const counted = open
    .query<{ name: string; counted: string }, []>(
      `SELECT external_id || ' ' || event || ' ' || date(day * 86400, 'unixepoch') AS name,
        count || ' by ' || users || ' users' AS counted
      FROM usage_days JOIN accounts ON accounts.id = account_id`,
    )
    .all();
  const waiting = open
    .query<{ name: string; counted: number }, []>(
      "SELECT external_id AS name, count AS counted FROM unmatched_ids",
    )
    .all();
  const stored = open.query<{ name: string }, []>("SELECT message_id AS name FROM events").all();
  return [
    ...otherwise(countedOnce(events, accounts), counted),
    ...otherwise(
      new Map(neverTaken.map((id) => [id, events.filter(({ externalId }) => externalId === id).length])),
      waiting,
    ),
    ...otherwise(
      new Map(events.map(({ messageId }) => [messageId, 1])),
      stored.map(({ name }) => ({ name, counted: 1 })),
    ),
  ];
}

function otherwise<T>(expected: Map<string, T>, found: { name: string; counted: T }[]): string[] {
  const actual = new Map(found.map(({ name, counted }) => [name, counted]));
  const faults = [...new Set([...expected.keys(), ...actual.keys()])]
    .filter((name) => expected.get(name) !== actual.get(name))
    .map((name) => `${name}: sent ${expected.get(name) ?? "never"}, stored ${actual.get(name) ?? "never"}`);
  return actual.size === found.length ? faults : [...faults, "something is stored twice"];
}
