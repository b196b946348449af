import { type Body, iso, paged, type Row, sorted } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";

const day = 86_400_000;
type Event = Body & { org: number; accountId: number | undefined; externalId: string | undefined } & {
  at: number;
  receivedAt: number;
};

/** The events that were sent. */
export class Usage {
  events: Event[] = [];

  receive({ org, body }: Asked, now: number, accounts: Row[]): Body {
    const items: { index: number; code: string }[] = [];
    const count = { accepted: 0, duplicates: 0, parked: 0, rejected: 0, ignored: 0, undeduplicated: 0 };
    for (const [index, given] of (body.events as Body[]).entries()) {
      const code = this.#receiveOne(org, given, now, accounts);
      if (code !== undefined) items.push({ index, code });
      const which = code === "duplicate" ? "duplicates" : (code ?? "accepted");
      if (which === "duplicates" || which === "parked" || which === "accepted") count[which] += 1;
      else count.rejected += 1;
      if ((which === "parked" || which === "accepted") && !given.messageId) count.undeduplicated += 1;
    }
    return { ...count, items };
  }

  #receiveOne(org: number, given: Body, now: number, accounts: Row[]): string | undefined {
    if (given.event === undefined) return "required";
    if (given.event === "") return "too_short";
    if (given.accountId === undefined && given.externalId === undefined) return "no_account";
    const at = given.timestamp === undefined ? now : Date.parse(String(given.timestamp));
    if (at > now + 5 * 60_000) return "in_future";
    if (at < now - 35 * day) return "too_old";
    const account = accountOf(accounts, given.accountId, given.externalId);
    if (!account && given.accountId !== undefined) return "unknown_account";
    const messageId = given.messageId || undefined;
    // The events of a deleted account do not count, whether or not a job has deleted them.
    const copies = this.events.filter(
      (one) =>
        one.org === org &&
        one.messageId === messageId &&
        (one.accountId === undefined || accounts.some(({ id }) => id === one.accountId)),
    );
    if (messageId !== undefined && copies.some(({ receivedAt }) => receivedAt > now - 35 * day))
      return "duplicate";
    const externalId = account ? undefined : String(given.externalId);
    const { event, userId } = given;
    const stored = { org, accountId: account?.id, externalId, event, messageId, userId };
    this.events.push({ ...stored, at: Math.min(at, now), receivedAt: now });
    return account ? undefined : "parked";
  }

  #parked(org: number, now: number): Event[] {
    return this.events.filter(
      (one) => one.org === org && one.externalId !== undefined && one.receivedAt > now - 30 * day,
    );
  }

  /** Attaches the pending events of its external id to an account. */
  attach(org: number, accountId: number, externalId: string, now: number): void {
    for (const event of this.#parked(org, now))
      if (event.externalId === externalId) Object.assign(event, { accountId, externalId: undefined });
  }

  unmatched({ org, query }: Asked, now: number) {
    const groups = Map.groupBy(this.#parked(org, now), ({ externalId = "" }) => externalId);
    const rows = [...groups].map(([externalId, some]) => {
      const times = some.map(({ at }) => at);
      const [firstAt, lastAt] = [iso(Math.min(...times)), iso(Math.max(...times))];
      return { externalId, count: some.length, firstAt, lastAt };
    });
    return paged(
      sorted(rows, (row) => row.externalId, query.sortOrder),
      query,
    );
  }

  days(accountId: number, now: number) {
    const firstDay = iso(now - 29 * day).slice(0, 10);
    const own = this.events.filter((one) => one.accountId === accountId);
    const groups = Map.groupBy(own, ({ at, event }) => `${iso(at).slice(0, 10)} ${event}`);
    const rows = [...groups].map(([name, some]) => {
      const users = new Set(some.map(({ userId }) => userId || undefined).filter((one) => one !== undefined));
      return { day: name.slice(0, 10), event: name.slice(11), count: some.length, users: users.size };
    });
    const recent = rows.filter((row) => row.day >= firstDay);
    return paged(
      sorted(recent, (row) => `${row.day} ${row.event}`),
      { pageSize: "1000" },
    );
  }
}

/** The account of an item, by its id if both ids are present. */
export function accountOf(accounts: Row[], accountId: unknown, externalId: unknown): Row | undefined {
  if (accountId !== undefined) return accounts.find(({ id }) => id === accountId);
  return externalId === undefined ? undefined : accounts.find((one) => one.externalId === externalId);
}
