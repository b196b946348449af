import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { Random } from "../support/random.ts";
import type { Body, Reply, world } from "../support/world.ts";

/** One step in a random world. Its details depend on the seed and on the steps before it. */
export type Step = { kind: Kind; seed: number };
type World = Awaited<ReturnType<typeof world>>;
/** The key of an organization and the ids of the replies that it received. */
export type OwnedIds = { key: string } & Record<"accounts" | "contacts" | "meetings" | "requests", number[]>;
/** The state that steps share. `timestamps` are those that were sent: scores change some days after them. */
export type RandomWorld = { here: World; organizations: OwnedIds[]; timestamps: number[] };
type Action = (randomWorld: RandomWorld, owner: OwnedIds, random: RandomChoice) => Promise<unknown>;
export type RandomChoice = ReturnType<typeof randomFrom>;

const day = 86_400_000;
const names = ["Acme", "acme", "Éclair", "éclair", "Straße", "STRASSE", "Zeta"];
const statuses = ["active", "active", "active", "onboarding", "churned", "inactive"];
const emails = ["a@x.io", "A@X.io", "b@x.io", "É@x.io", "é@x.io"];
const externalIds = Array.from({ length: 20 }, (_, index) => `x${index}`);
const maxAccounts = 15;

/** Pseudo-random choices, determined by the seed. */
export function randomFrom(seed: number) {
  const random = new Random(seed);
  const below = (limit: number) => random.below(limit);
  const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
  return {
    below,
    pick,
    oneIn: (count: number) => below(count) === 0,
    /** A duration below this number of days. Half of them are whole days, at the limits and the ends of windows. */
    time: (days: number) => (below(2) === 0 ? below(days * day) : below(days) * day),
    /** Each member with probability 1/2, and at least one. */
    some: (members: Record<string, () => unknown>): Body => {
      const chosen = Object.entries(members).filter(() => below(2) === 0);
      const [name, make] = pick(Object.entries(members));
      return { [name]: make(), ...Object.fromEntries(chosen.map(([name, make]) => [name, make()])) };
    },
  };
}

const actions = {
  account: async ({ here }, owner, random) => {
    if (owner.accounts.length >= maxAccounts) return;
    const members = random.some({
      mrr: () => random.below(40) / 4,
      externalId: () => random.pick(externalIds),
      contactEmail: () => random.pick(emails),
    });
    const body = { name: random.pick(names), ...members };
    addId(owner.accounts, await here.call("POST", "/api/v1/accounts", body, owner));
  },
  change: (randomWorld, owner, random) => {
    const externalId = () => random.pick([...externalIds, null]);
    const body = random.some({ ...changes(randomWorld, random), externalId });
    return randomWorld.here.call("PATCH", `/api/v1/accounts/${pickAccount(owner, random)}`, body, owner);
  },
  put: async (randomWorld, owner, random) => {
    const body = { ...random.some(changes(randomWorld, random)), name: random.pick(names) };
    const path = `/api/v1/accounts/external/${random.pick(externalIds)}`;
    const reply = await randomWorld.here.call("PUT", path, body, owner);
    if (reply.status === 201) addId(owner.accounts, reply);
  },
  remove: async ({ here }, owner, random) => {
    // One account stays, because every step needs one.
    if (owner.accounts.length < 2) return;
    const [id] = owner.accounts.splice(1 + random.below(owner.accounts.length - 1), 1);
    await here.call("DELETE", `/api/v1/accounts/${id}`, undefined, owner);
  },
  contact: (randomWorld, owner, random) =>
    changeSubResource(randomWorld, owner, random, "contacts", {
      name: () => "Ada",
      email: () => random.pick([...emails, null]),
      attributes: () => attributes(random),
    }),
  meeting: (randomWorld, owner, random) => {
    // Some begin at the end of a window of the score, or in the future.
    const startAt = textOf(
      randomWorld,
      randomWorld.here.now() + random.time(40) - random.time(random.pick([40, 200])),
    );
    return changeSubResource(randomWorld, owner, random, "meetings", {
      times: () => ({ startAt, endAt: startAt }),
      title: () => random.pick(names),
    });
  },
  request: (randomWorld, owner, random) =>
    changeSubResource(randomWorld, owner, random, "requests", {
      title: () => random.pick(names),
      status: () => random.pick(["Open", "Started", "Done", "Declined"]),
      severity: () => 1 + random.below(5),
      requestedAt: () => past(randomWorld, random, 40),
      resolvedAt: () => (random.oneIn(2) ? past(randomWorld, random, random.pick([20, 120])) : null),
    }),
  events: (randomWorld, owner, random) => {
    // Most events of a request belong to one account, and to one of the two windows of the trend.
    const [account, before] = [reference(owner, random), random.pick([0, 14, 14, 20]) * day];
    const events = Array.from({ length: 1 + random.below(12) }, () => ({
      event: random.pick(["read", "written"]),
      ...(random.oneIn(4) ? reference(owner, random) : account),
      timestamp: textOf(randomWorld, randomWorld.here.now() - before - random.time(14)),
      ...(random.oneIn(3) && { messageId: `m${random.below(30)}` }),
      ...(random.oneIn(2) && { userId: random.pick(names) }),
    }));
    return randomWorld.here.call("POST", "/api/v1/events", { events }, owner);
  },
  use: ({ here }, owner, random) =>
    here.call("POST", "/api/v1/events", { event: "read", ...reference(owner, random) }, owner),
  seen: (randomWorld, owner, random) => {
    const items = Array.from({ length: 1 + random.below(3) }, () => ({
      ...(random.oneIn(3) ? { contactEmail: random.pick(emails) } : reference(owner, random)),
      source: random.pick(["crm", "mail"]),
      lastSeenAt: past(randomWorld, random, 40),
    }));
    return randomWorld.here.call("POST", "/api/v1/last-seen", { items }, owner);
  },
  jobs: ({ here }) => runDueJobs(here),
  list: ({ here }, owner, random) =>
    here.call("GET", `/api/v1/health${random.pick(["", "/summary"])}`, undefined, owner),
  time: async ({ here, timestamps }, _, random) => here.pass(timeTo(here.now(), timestamps, random)),
  // After this step the test compares the list with the accounts.
  check: async () => {},
} satisfies Record<string, Action>;
type Kind = keyof typeof actions;

/** The relative frequency of each kind of step. */
const frequencies = {
  account: 2,
  change: 8,
  put: 4,
  remove: 2,
  contact: 3,
  meeting: 10,
  request: 12,
  events: 14,
  use: 6,
  seen: 8,
};
const kinds = Object.entries({ ...frequencies, jobs: 10, list: 4, time: 12, check: 16 }).flatMap(
  ([kind, count]) => new Array<Kind>(count).fill(kind as Kind),
);
/** The steps of a series of much usage in a short time. */
const busy: Kind[] = ["use", "use", "use", "use", "jobs", "list", "check"];

/** This number of steps, determined by the seed. */
export function randomSteps(count: number, seed: number): Step[] {
  const random = randomFrom(seed);
  const several = (length: number, from: Kind[]) => Array.from({ length }, () => random.pick(from));
  const steps = several(8, ["account"]);
  while (steps.length < count - 1) steps.push(...(random.oneIn(40) ? several(30, busy) : several(1, kinds)));
  return [...steps, "check" as const].map((kind) => ({ kind, seed: 1 + random.below(2_000_000_000) }));
}

/** Runs the step for one of the organizations. */
export async function runStep(step: Step, randomWorld: RandomWorld): Promise<void> {
  const random = randomFrom(step.seed);
  const action: Action = actions[step.kind];
  await action(randomWorld, random.pick(randomWorld.organizations), random);
}

/** The members that a PATCH and a PUT of an account have in common. */
function changes(randomWorld: RandomWorld, random: RandomChoice): Record<string, () => unknown> {
  return {
    name: () => random.pick(names),
    mrr: () => random.below(40) / 4,
    status: () => random.pick(statuses),
    contactActivityAt: () => (random.oneIn(2) ? null : past(randomWorld, random, 40)),
    attributes: () => attributes(random),
  };
}

/** Attributes to set or remove. */
function attributes(random: RandomChoice): Body {
  const value = () => random.pick(["pro", "free", null]);
  return random.some({ plan: value, toString: value, seats: () => random.pick([1, 2.5, null]) });
}

/** Creates, updates, moves or deletes a sub-resource. */
async function changeSubResource(
  { here }: RandomWorld,
  owner: OwnedIds,
  random: RandomChoice,
  plural: "contacts" | "meetings" | "requests",
  members: Record<string, () => unknown>,
): Promise<void> {
  const values = Object.fromEntries(Object.entries(members).map(([name, make]) => [name, make()]));
  const flat = ({ times, ...others }: Body) => ({ ...others, ...(times as Body) });
  const accountId = pickAccount(owner, random);
  const id = random.pick(owner[plural]);
  const choice = id === undefined ? 0 : random.below(8);
  if (choice < 3)
    addId(
      owner[plural],
      await here.call("POST", `/api/v1/accounts/${accountId}/${plural}`, flat(values), owner),
    );
  else if (choice < 6) await here.call("PATCH", `/api/v1/${plural}/${id}`, flat(random.some(members)), owner);
  else if (choice < 7) {
    const path = `/api/v1/${plural}/external/y${random.below(3)}`;
    const reply = await here.call("PUT", path, { accountId, ...flat(values) }, owner);
    if (reply.status === 201) addId(owner[plural], reply);
  } else {
    owner[plural].splice(owner[plural].indexOf(id), 1);
    await here.call("DELETE", `/api/v1/${plural}/${id}`, undefined, owner);
  }
}

/** A reference to an account, which may not exist yet. */
function reference(owner: OwnedIds, random: RandomChoice): Body {
  return random.oneIn(3)
    ? { externalId: random.pick(externalIds) }
    : { accountId: pickAccount(owner, random) };
}

/** The first account with probability 1/2, so that it has many changes. */
function pickAccount({ accounts }: OwnedIds, random: RandomChoice): number | undefined {
  return random.oneIn(2) ? accounts[0] : random.pick(accounts);
}

function addId(ids: number[], { status, body }: Reply): void {
  if (status === 201) ids.push(body.data.id);
}

function past(randomWorld: RandomWorld, random: RandomChoice, days: number): string {
  return textOf(randomWorld, randomWorld.here.now() - random.time(days));
}

function textOf({ timestamps }: RandomWorld, timestamp: number): string {
  timestamps.push(timestamp);
  return new Date(timestamp).toISOString();
}

/** A duration of minutes to weeks, often until the time at which a score may change, or a millisecond less. */
function timeTo(now: number, timestamps: number[], random: RandomChoice): number {
  const limit = random.pick(timestamps) + random.pick([0, 1, 3, 7, 14, 30, 90, 180]) * day;
  const before = random.below(2);
  if (limit - before > now && limit < now + 3 * day && random.oneIn(2)) return limit - before - now;
  if (random.oneIn(4)) return day - (now % day) - before;
  if (random.oneIn(40)) return random.time(90);
  return random.pick([1, 60_000, 3_600_000, 10 * 3_600_000]) * (1 + random.below(3));
}
