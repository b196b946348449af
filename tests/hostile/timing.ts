import { newSecret } from "../../src/api-keys/secret.ts";
import type { Outcome, PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { Random } from "../support/random.ts";
import type { Client, Sent } from "./client.ts";
import { slowForeignId, slowRevokedKey } from "./controls/timing.ts";
import { furnish, nobody, settled } from "./foreign-site.ts";
import { atSite, type Site, sentWith } from "./site.ts";

/**
 * The number of samples of each request of a pair. The long form compares medians, with a tolerance of 5 %. The short
 * form runs on a loaded machine, so it compares only the fast replies.
 */
const sizes = {
  short: { samples: 250, quantile: 0.1, bound: 0.3 },
  long: { samples: 10_000, quantile: 0.5, bound: 0.05 },
};
/** A real difference appears in each measurement; one caused by the machine does not. */
const tries = 3;

/** Two requests with equal replies, which must have equal durations. */
type Pair = { name: string; status: number; left: () => Sent; right: () => Sent };

async function run(program: Program, scale: Scale, printLine: PrintLine): Promise<Outcome> {
  const { samples, quantile, bound } = sizes[scale];
  return atSite(program, [], async (site) => {
    const pairs = await pairsAt(site);
    await settled(site.database);
    const faults: string[] = [];
    const tried: Record<string, number> = { pairs: pairs.length, samples: 0 };
    for (const pair of pairs) {
      const found: string[] = [];
      while (found.length < tries) {
        const { left, right } = await measure(site.client, pair, samples);
        tried.samples = (tried.samples ?? 0) + left.length + right.length;
        const [one, other] = [quantileOf(left, quantile), quantileOf(right, quantile)];
        const apart = Math.abs(one - other) / Math.min(one, other);
        const told = `${pair.name}: ${(one * 1000).toFixed(1)} µs and ${(other * 1000).toFixed(1)} µs`;
        printLine(`${told}, ${(apart * 100).toFixed(1)} % apart`);
        if (apart <= bound) break;
        found.push(told);
      }
      if (found.length === tries) faults.push(found.join("; "));
    }
    return { tried, faults };
  });
}

async function pairsAt(site: Site): Promise<Pair[]> {
  const { first, second, newKey, revoke } = site;
  // The last account does not exist yet: the requested ids are in the middle of the tables.
  const theirs = await furnish(site, first, "them", 8);
  await furnish(site, second, "mine", 8);
  const [them] = theirs.slice(4);
  if (!them) throw new Error("nothing was made");
  const none = nobody(7);
  const revoked = await newKey("First");
  await revoke(revoked.id);
  const read = (path: string) => () => sentWith(second, { method: "GET", path });
  const changed = (path: string) => () => sentWith(second, { method: "PATCH", path, body: '{"mrr":1}' });
  const removed = (path: string) => () => sentWith(second, { method: "DELETE", path });
  const asked = (key: string) => () => sentWith(key, { method: "GET", path: "/api/v1/accounts" });
  const unknown = newSecret();
  return [
    {
      name: "an absent account and another's",
      status: 404,
      left: read(`/api/v1/accounts/${none.accountId}`),
      right: read(`/api/v1/accounts/${them.accountId}`),
    },
    {
      name: "a contact that nobody has and another's",
      status: 404,
      left: read(`/api/v1/contacts/external/${none.externalId}`),
      right: read(`/api/v1/contacts/external/${them.externalId}`),
    },
    {
      name: "an account by an external id that nobody has and by another's",
      status: 404,
      left: read(`/api/v1/accounts/external/${none.externalId}`),
      right: read(`/api/v1/accounts/external/${them.externalId}`),
    },
    {
      name: "the delete of an absent account and of another's",
      status: 404,
      left: removed(`/api/v1/accounts/${none.accountId}`),
      right: removed(`/api/v1/accounts/${them.accountId}`),
    },
    {
      name: "a change to an absent account and to another's",
      status: 404,
      left: changed(`/api/v1/accounts/${none.accountId}`),
      right: changed(`/api/v1/accounts/${them.accountId}`),
    },
    {
      name: "an unknown key and a revoked one",
      status: 401,
      left: asked(unknown),
      right: asked(revoked.key),
    },
  ];
}

/** Samples in milliseconds, taken alternately in random order, so that other load affects both requests. */
async function measure(client: Client, pair: Pair, samples: number) {
  const random = new Random(samples);
  const left: number[] = [];
  const right: number[] = [];
  // The first ones are a warm-up.
  for (let i = -Math.ceil(samples / 10); i < samples; i++) {
    const isLeftFirst = random.below(2) === 0;
    for (const isLeft of [isLeftFirst, !isLeftFirst]) {
      const took = await timed(client, isLeft ? pair.left() : pair.right(), pair.status);
      if (i >= 0) (isLeft ? left : right).push(took);
    }
  }
  return { left, right };
}

async function timed(client: Client, sent: Sent, status: number): Promise<number> {
  const start = performance.now();
  const answer = await client.send(sent);
  const took = performance.now() - start;
  if (answer.status !== status) throw new Error(`${sent.path} is answered ${answer.status}, not ${status}`);
  return took;
}

export const timing: Proof = {
  name: "timing",
  runsAlone: true,
  claim:
    "The time of an answer does not tell another's id from an absent one, nor a revoked key from an unknown one",
  run,
  controls: [slowForeignId, slowRevokedKey],
};
