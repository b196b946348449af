import type { Outcome, PrintLine, Proof, Scale } from "../support/proof.ts";
import { wrongRaces } from "./model-broken.ts";
import { sqliteGround } from "./model-ground.ts";
import type { Kind } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { type MakeApp, rightApp, Service } from "./model-service.ts";

/** Races of each kind of row. */
const sizes: Record<Scale, number> = { short: 13, long: 1_000 };
const racers = 8;
const bodies: Record<Kind, object> = {
  accounts: { name: "Acme" },
  contacts: { name: "Ada" },
  meetings: { title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" },
  requests: { title: "Single sign-on" },
};

/** Sends concurrent creates with the same externalId. */
export const races: Proof = {
  name: "races",
  claim: "of eight concurrent creates with one externalId one succeeds, seven are 409, and one row is stored",
  run: (_, scale, print) => tryRaces(rightApp, scale, print),
  controls: Object.entries(wrongRaces).map(([name, wrong]) => ({
    name,
    run: (print) => tryRaces(wrong(), "short", print),
  })),
};

/** Runs the proof on any service. */
export async function tryRaces(make: MakeApp, scale: Scale, print: PrintLine): Promise<Outcome> {
  const tried = { races: 0, won: 0, lost: 0 };
  const faults: string[] = [];
  const { organizations, copy, close } = await sqliteGround();
  const service = new Service(await copy(), organizations, make);
  service.next();
  const asked = (op: Asked["op"], kind: Kind, body = {}, query = {}): Asked => {
    return { org: 0, op, kind, body, query, ...(kind !== "accounts" && { id: 1 }) };
  };

  async function race(kind: Kind, number: number): Promise<void> {
    const externalId = `${kind} ${number}`;
    const racing = Array.from({ length: racers }, async (_, place) => {
      // In every other race some creates are sent later, when the first one may be running.
      if (number % 2 === 1 && place % 3 > 0) await Bun.sleep(place % 3 === 1 ? 0 : 1);
      return (await service.ask(asked("create", kind, { ...bodies[kind], externalId }))).status;
    });
    const statuses = (await Promise.all(racing)).sort();
    const [found, all] = await Promise.all([
      service.ask(asked("list", kind, {}, { externalId })),
      service.ask(asked("list", kind)),
    ]);
    const rows = (found.data as unknown[]).length;
    const { total } = all.pagination as { total: number };
    tried.races += 1;
    tried.won += statuses.filter((status) => status === 201).length;
    tried.lost += statuses.filter((status) => status === 409).length;
    const isRight = statuses.join() === "201,409,409,409,409,409,409,409";
    if (!isRight || rows !== 1 || total !== number)
      faults.push(
        `${externalId}: answers ${statuses}, ${rows} rows with the id, ${total} in all of ${number}`,
      );
  }

  try {
    for (const kind of ["accounts", "contacts", "meetings", "requests"] as const) {
      for (let number = 1; number <= sizes[scale]; number += 1) await race(kind, number);
      print(`${tried.races} races`);
    }
  } finally {
    await service.close();
    await close();
  }
  return { tried, faults };
}
