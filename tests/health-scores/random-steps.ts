import { runDueJobs } from "../../src/jobs/scheduler.ts";
import type { Body, Reply, world } from "../support/world.ts";

/** One thing that is done in a random world; its details follow from the seed, and from what was done before. */
export type Step = { kind: Kind; seed: number };
type World = Awaited<ReturnType<typeof world>>;
/** An organization as its callers know it: the ids they were told. */
export type Own = { key: string } & Record<"accounts" | "contacts" | "meetings" | "requests", number[]>;
/** What a step has at hand. `moments` are those that were sent: scores change some days after them. */
export type Place = { here: World; organizations: Own[]; moments: number[] };
type Deed = (place: Place, own: Own, random: Random) => Promise<unknown>;
export type Random = ReturnType<typeof randomFrom>;

const day = 86_400_000;
const names = ["Acme", "acme", "Éclair", "éclair", "Straße", "STRASSE", "Zeta"];
const statuses = ["active", "active", "active", "onboarding", "churned", "inactive"];
const emails = ["a@x.io", "A@X.io", "b@x.io", "É@x.io", "é@x.io"];
const externalIds = Array.from({ length: 20 }, (_, index) => `x${index}`);
const mostAccounts = 15;

/** Numbers that are the same for the same seed. */
export function randomFrom(seed: number) {
  let state = seed;
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * limit);
  };
  const pick = <T>(list: readonly T[]) => list[below(list.length)] as T;
  return {
    below,
    pick,
    oneIn: (count: number) => below(count) === 0,
    /** Up to so many days, half of them whole: there limits and windows meet. */
    time: (days: number) => (below(2) === 0 ? below(days * day) : below(days) * day),
    /** Each member as often as not, and one at least. */
    some: (members: Record<string, () => unknown>): Body => {
      const kept = Object.entries(members).filter(() => below(2) === 0);
      const [name, make] = pick(Object.entries(members));
      return { [name]: make(), ...Object.fromEntries(kept.map(([name, make]) => [name, make()])) };
    },
  };
}

const deeds = {
  account: async ({ here }, own, random) => {
    if (own.accounts.length >= mostAccounts) return;
    const given = random.some({
      mrr: () => random.below(40) / 4,
      externalId: () => random.pick(externalIds),
      contactEmail: () => random.pick(emails),
    });
    const body = { name: random.pick(names), ...given };
    note(own.accounts, await here.call("POST", "/api/v1/accounts", body, own));
  },
  change: (place, own, random) => {
    const externalId = () => random.pick([...externalIds, null]);
    const body = random.some({ ...changes(place, random), externalId });
    return place.here.call("PATCH", `/api/v1/accounts/${someAccount(own, random)}`, body, own);
  },
  put: async (place, own, random) => {
    const body = { ...random.some(changes(place, random)), name: random.pick(names) };
    const path = `/api/v1/accounts/external/${random.pick(externalIds)}`;
    const reply = await place.here.call("PUT", path, body, own);
    if (reply.status === 201) note(own.accounts, reply);
  },
  remove: async ({ here }, own, random) => {
    // One stays, so that every step finds one.
    if (own.accounts.length < 2) return;
    const [id] = own.accounts.splice(1 + random.below(own.accounts.length - 1), 1);
    await here.call("DELETE", `/api/v1/accounts/${id}`, undefined, own);
  },
  contact: (place, own, random) =>
    child(place, own, random, "contacts", { name: () => "Ada", email: () => random.pick([...emails, null]) }),
  meeting: (place, own, random) => {
    // Some begin when a window of a score ends, or a while from now.
    const startAt = textOf(place, place.here.now() + random.time(40) - random.time(random.pick([40, 200])));
    return child(place, own, random, "meetings", {
      times: () => ({ startAt, endAt: startAt }),
      title: () => random.pick(names),
    });
  },
  request: (place, own, random) =>
    child(place, own, random, "requests", {
      title: () => random.pick(names),
      status: () => random.pick(["Open", "Started", "Done", "Declined"]),
      severity: () => 1 + random.below(5),
      requestedAt: () => past(place, random, 40),
    }),
  events: (place, own, random) => {
    // Most of a series are of one account, and of one of the two windows that a trend compares.
    const [named, before] = [reference(own, random), random.pick([0, 14, 14, 20]) * day];
    const events = Array.from({ length: 1 + random.below(12) }, () => ({
      event: random.pick(["read", "written"]),
      ...(random.oneIn(4) ? reference(own, random) : named),
      timestamp: textOf(place, place.here.now() - before - random.time(14)),
      ...(random.oneIn(3) && { messageId: `m${random.below(30)}` }),
      ...(random.oneIn(2) && { userId: random.pick(names) }),
    }));
    return place.here.call("POST", "/api/v1/events", { events }, own);
  },
  use: ({ here }, own, random) =>
    here.call("POST", "/api/v1/events", { event: "read", ...reference(own, random) }, own),
  seen: (place, own, random) => {
    const items = Array.from({ length: 1 + random.below(3) }, () => ({
      ...(random.oneIn(3) ? { contactEmail: random.pick(emails) } : reference(own, random)),
      source: random.pick(["crm", "mail"]),
      lastSeenAt: past(place, random, 40),
    }));
    return place.here.call("POST", "/api/v1/last-seen", { items }, own);
  },
  jobs: ({ here }) => runDueJobs(here),
  list: ({ here }, own, random) =>
    here.call("GET", `/api/v1/health${random.pick(["", "/summary"])}`, undefined, own),
  time: async ({ here, moments }, _, random) => here.pass(timeTo(here.now(), moments, random)),
  // What `run` does after it: the list is compared with the accounts.
  check: async () => {},
} satisfies Record<string, Deed>;
type Kind = keyof typeof deeds;

/** How often each kind is among a hundred steps or so. */
const often = {
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
const kinds = Object.entries({ ...often, jobs: 10, list: 4, time: 12, check: 16 }).flatMap(([kind, count]) =>
  new Array<Kind>(count).fill(kind as Kind),
);
/** What may come in a row: much use in a short time. */
const busy: Kind[] = ["use", "use", "use", "use", "jobs", "list", "check"];

/** As many steps, the same for the same seed. */
export function randomSteps(count: number, seed: number): Step[] {
  const random = randomFrom(seed);
  const some = (length: number, from: Kind[]) => Array.from({ length }, () => random.pick(from));
  const steps = some(8, ["account"]);
  while (steps.length < count - 1) steps.push(...(random.oneIn(40) ? some(30, busy) : some(1, kinds)));
  return [...steps, "check" as const].map((kind) => ({ kind, seed: 1 + random.below(2_000_000_000) }));
}

/** Does the step, for one of the organizations. */
export async function take(step: Step, place: Place): Promise<void> {
  const random = randomFrom(step.seed);
  const deed: Deed = deeds[step.kind];
  await deed(place, random.pick(place.organizations), random);
}

/** The members that a PATCH and a PUT of an account have in common. */
function changes(place: Place, random: Random): Record<string, () => unknown> {
  return {
    name: () => random.pick(names),
    mrr: () => random.below(40) / 4,
    status: () => random.pick(statuses),
    contactActivityAt: () => (random.oneIn(2) ? null : past(place, random, 40)),
  };
}

/** Creates, changes, moves or removes one of what hangs on accounts. */
async function child(
  { here }: Place,
  own: Own,
  random: Random,
  plural: "contacts" | "meetings" | "requests",
  members: Record<string, () => unknown>,
): Promise<void> {
  const whole = Object.fromEntries(Object.entries(members).map(([name, make]) => [name, make()]));
  const flat = ({ times, ...others }: Body) => ({ ...others, ...(times as Body) });
  const accountId = someAccount(own, random);
  const id = random.pick(own[plural]);
  const what = id === undefined ? 0 : random.below(8);
  if (what < 3)
    note(own[plural], await here.call("POST", `/api/v1/accounts/${accountId}/${plural}`, flat(whole), own));
  else if (what < 6) await here.call("PATCH", `/api/v1/${plural}/${id}`, flat(random.some(members)), own);
  else if (what < 7) {
    const path = `/api/v1/${plural}/external/y${random.below(3)}`;
    const reply = await here.call("PUT", path, { accountId, ...flat(whole) }, own);
    if (reply.status === 201) note(own[plural], reply);
  } else {
    own[plural].splice(own[plural].indexOf(id), 1);
    await here.call("DELETE", `/api/v1/${plural}/${id}`, undefined, own);
  }
}

/** Some account: one that may not be there yet, too. */
function reference(own: Own, random: Random): Body {
  return random.oneIn(3) ? { externalId: random.pick(externalIds) } : { accountId: someAccount(own, random) };
}

/** Half of the time the first, so that much happens to the same. */
function someAccount({ accounts }: Own, random: Random): number | undefined {
  return random.oneIn(2) ? accounts[0] : random.pick(accounts);
}

function note(ids: number[], { status, body }: Reply): void {
  if (status === 201) ids.push(body.data.id);
}

function past(place: Place, random: Random, days: number): string {
  return textOf(place, place.here.now() - random.time(days));
}

function textOf({ moments }: Place, moment: number): string {
  moments.push(moment);
  return new Date(moment).toISOString();
}

/** Minutes to weeks; often up to where a score may change, or the millisecond before. */
function timeTo(now: number, moments: number[], random: Random): number {
  const limit = random.pick(moments) + random.pick([0, 1, 3, 7, 14, 30, 90, 180]) * day;
  const before = random.below(2);
  if (limit - before > now && limit < now + 3 * day && random.oneIn(2)) return limit - before - now;
  if (random.oneIn(4)) return day - (now % day) - before;
  if (random.oneIn(40)) return random.time(90);
  return random.pick([1, 60_000, 3_600_000, 10 * 3_600_000]) * (1 + random.below(3));
}
