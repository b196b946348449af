import { Random } from "../tests/support/random.ts";
import type { Needles } from "./needles.ts";

/** An organization, its key, and its accounts, whose ids are consecutive. */
export type Org = { id: number; key: string; accounts: number; firstAccountId: number; needles: Needles };
export type Plan = Omit<Org, "needles"> & {
  /** One of this number of accounts has contacts, meetings and requests. */
  accountsPerParent: number;
};

/** Organizations of 100,000 and 10,000 accounts and 1,000 small ones: 1,000,000 accounts, or a tenth if quick. */
export function mainPlans(quick: boolean): Plan[] {
  const few = { accounts: 890, accountsPerParent: 10 };
  const all = { accountsPerParent: 1 };
  const small = Array.from({ length: quick ? 100 : 1_000 }, () => few);
  return quick
    ? plansOf([{ accounts: 10_000, ...all }, { accounts: 1_000, ...all }, ...small])
    : plansOf([{ accounts: 100_000, ...all }, { accounts: 10_000, ...all }, ...small]);
}

/** The two large organizations of `mainPlans`, and 9,998 smaller ones: 10,000,000 accounts. */
export function largePlans(): Plan[] {
  const small = Array.from({ length: 9_998 }, () => ({ accounts: 989, accountsPerParent: 10 }));
  const rest = 10_000_000 - 110_000 - 9_998 * 989;
  return plansOf([
    { accounts: 100_000 + rest, accountsPerParent: 1 },
    { accounts: 10_000, accountsPerParent: 1 },
    ...small,
  ]);
}

function plansOf(sizes: { accounts: number; accountsPerParent: number }[]): Plan[] {
  let nextId = 1;
  return sizes.map((size, i) => {
    const firstAccountId = nextId;
    nextId += size.accounts;
    return { id: i + 1, key: keyOf(i + 1), firstAccountId, ...size };
  });
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A key in the format of accountd, determined by the organization. */
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
