import { Random } from "../tests/support/random.ts";
import type { Needles } from "./needles.ts";

/** An organization, its key, and its accounts, whose ids follow one another. */
export type Org = { id: number; key: string; accounts: number; firstAccountId: number; needles: Needles };
export type Plan = Omit<Org, "needles"> & {
  /** Of how many accounts one has contacts, meetings and requests. */
  childrenOfEach: number;
};

/** One of 100,000 accounts, one of 10,000, and 1,000 small ones: 1,000,000 accounts. A tenth of all if quick. */
export function mainPlans(quick: boolean): Plan[] {
  const few = { accounts: 890, childrenOfEach: 10 };
  const all = { childrenOfEach: 1 };
  const small = Array.from({ length: quick ? 100 : 1_000 }, () => few);
  return quick
    ? plansOf([{ accounts: 10_000, ...all }, { accounts: 1_000, ...all }, ...small])
    : plansOf([{ accounts: 100_000, ...all }, { accounts: 10_000, ...all }, ...small]);
}

/** Organizations each ten times larger than the one before. */
export function growthPlans(quick: boolean): Plan[] {
  const sizes = [1_000, 10_000, 100_000, 1_000_000].map((size) => (quick ? size / 10 : size));
  return plansOf(sizes.map((accounts) => ({ accounts, childrenOfEach: 1 })));
}

function plansOf(sizes: { accounts: number; childrenOfEach: number }[]): Plan[] {
  let nextId = 1;
  return sizes.map((size, i) => {
    const firstAccountId = nextId;
    nextId += size.accounts;
    return { id: i + 1, key: keyOf(i + 1), firstAccountId, ...size };
  });
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A key of the form that accountd makes, always the same for the same organization. */
function keyOf(organizationId: number): string {
  const random = new Random(organizationId);
  const body = `ak_${Array.from({ length: 30 }, () => alphabet[random.below(62)]).join("")}`;
  let rest = Bun.hash.crc32(body);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return body + digits;
}
