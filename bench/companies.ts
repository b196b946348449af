import type { AccountStatus, RequestStatus } from "../db/schema.ts";
import { Random, scramble } from "../tests/support/random.ts";
import * as words from "./words.ts";

/**
 * An account of the benchmark, determined by its organization and index, so that clients have the ids without reading
 * them. Timestamps are milliseconds since 1970 UTC and so old that no score changes with time.
 */
export type Account = {
  name: string;
  externalId: string | null;
  mrr: number;
  status: AccountStatus;
  logoUrl: string | null;
  contactActivityAt: number | null;
  createdAt: number;
  updatedAt: number;
};
export type Contact = { name: string; email: string; createdAt: number };
export type Meeting = { title: string; startAt: number; endAt: number; createdAt: number };
export type Request = {
  title: string;
  status: RequestStatus;
  severity: number;
  requestedAt: number;
  resolvedAt: number | null;
};
export type SubResources = { contacts: Contact[]; meetings: Meeting[]; requests: Request[] };

const [minute, day] = [60_000, 86_400_000];
const firstAt = Date.UTC(2022, 0, 3, 8);
const creationPeriod = 700 * day;
const changePeriod = 300 * day;
/** No timestamp of the data is later. */
export const lastAt = firstAt + creationPeriod + changePeriod + 60 * day;

export function accountOf(organizationId: number, index: number, accountCount: number): Account {
  const random = randomOf(organizationId, index, 1);
  const createdAt = firstAt + Math.floor(((index + random.next()) / accountCount) * creationPeriod);
  const changedAt = random.next() < 0.7 ? createdAt + random.below(changePeriod) : createdAt;
  const name = nameOf(random);
  return {
    name,
    externalId: externalIdOf(organizationId, index),
    mrr: Math.round(Math.exp(6.8 + 1.3 * normal(random)) * 100) / 100,
    status: statusOf(random),
    logoUrl: random.next() < 0.4 ? `https://logos.example.com/${scramble(index).toString(36)}.png` : null,
    contactActivityAt:
      changedAt > createdAt && random.next() < 0.85
        ? Math.max(createdAt, changedAt - random.below(day))
        : null,
    createdAt,
    updatedAt: changedAt,
  };
}

/** An external id like `cus_4f7a91c2` or `ACME-00017`, or null for one of ten accounts. */
export function externalIdOf(organizationId: number, index: number): string | null {
  const random = randomOf(organizationId, index, 2);
  const form = random.next();
  if (form < 0.1) return null;
  if (form < 0.4) return `${random.of(words.codes)}-${String(index + 1).padStart(5, "0")}`;
  return `cus_${scramble(index ^ scramble(organizationId))
    .toString(16)
    .padStart(8, "0")}`;
}

/** The sub-resources: two or three contacts, up to six meetings and up to four requests. */
export function subResourcesOf(organizationId: number, index: number, { createdAt }: Account): SubResources {
  const random = randomOf(organizationId, index, 3);
  return {
    contacts: many(2 + random.below(2), (i) => {
      const [first, last] = [random.of(words.firstNames), random.ofRanked(words.surnames)];
      const email = `${plain(first) || "info"}.${i + 1}@c${organizationId}-${index + 1}.example.com`;
      return { name: `${first} ${last}`, email, createdAt };
    }),
    meetings: many(random.below(7), () => {
      const startAt = createdAt + random.below(300) * day + (random.below(20) + 1) * 30 * minute;
      const endAt = startAt + random.of([30, 45, 60, 90]) * minute;
      return { title: random.ofRanked(words.meetingTitles), startAt, endAt, createdAt };
    }),
    requests: many(random.below(5), () => {
      const requestedAt = createdAt + random.below(300 * day);
      const status = random.of(["Open", "Open", "Planned", "Started", "Done", "Done", "Declined"] as const);
      const isResolved = status === "Done" || status === "Declined";
      return {
        title: random.ofRanked(words.requestTitles),
        status,
        severity: 1 + random.below(5),
        requestedAt,
        resolvedAt: isResolved ? requestedAt + random.below(40 * day) : null,
      };
    }),
  };
}

function randomOf(organizationId: number, index: number, part: number): Random {
  return new Random(scramble(index * 4 + part) ^ scramble(organizationId));
}

function nameOf(random: Random): string {
  const form = random.next();
  const ending = random.next() < 0.5 ? ` ${random.ofRanked(words.forms)}` : "";
  if (form < 0.4) return `${random.ofRanked(words.surnames)} ${random.ofRanked(words.trades)}${ending}`;
  if (form < 0.5)
    return `${random.ofRanked(words.surnames)} & ${random.of(words.surnames)} ${random.ofRanked(words.trades)}`;
  const coined = random.of(words.openings) + random.of(words.middles) + random.of(words.endings);
  return form < 0.85 ? `${coined} ${random.ofRanked(words.trades)}${ending}` : coined + ending;
}

function statusOf(random: Random): AccountStatus {
  const share = random.next();
  if (share < 0.86) return "active";
  if (share < 0.94) return "onboarding";
  return share < 0.995 ? "inactive" : "churned";
}

/** A number with a standard normal distribution, by the Box–Muller transform. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, "");
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
