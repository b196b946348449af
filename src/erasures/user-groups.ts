import type { TenantStatement } from "../core/tenant/statements.ts";
import { newErasedUserId } from "./person.ts";

/** A person among the users of an account's day, and the statement that replaces it there. */
type FoundUser = {
  accountId: number;
  day: number;
  event: string;
  userId: string;
  replace: TenantStatement<unknown>;
};

/** A user of accounts on a day, and the random id that replaces it. */
export type UserGroup = Pick<FoundUser, "day" | "event" | "userId"> & {
  erased: string;
  users: readonly FoundUser[];
};

/** Found users to store in memory: some 10 MB. */
const maxFoundUsers = 50_000;

/** Found users by day, event and user id, of so many days that they fit in memory. */
export class UserGroups {
  readonly #groups = new Map<string, FoundUser[]>();
  #maxCount: number;
  count = 0;
  /** Users of later days are left out. */
  lastDay = Number.POSITIVE_INFINITY;

  constructor(maxCount = maxFoundUsers) {
    this.#maxCount = maxCount;
  }

  add(user: FoundUser): void {
    const { day, event, userId } = user;
    if (day > this.lastDay) return;
    const key = JSON.stringify([day, event, userId]);
    const group = this.#groups.get(key) ?? [];
    this.#groups.set(key, group);
    group.push(user);
    this.count += 1;
    if (this.count > this.#maxCount) this.#removeLaterDays();
  }

  /** The users with the same day, event and id. */
  groups(): UserGroup[] {
    return [...this.#groups.values()].flatMap((users) => {
      const [first] = users;
      if (!first) return [];
      const { day, event, userId } = first;
      return { day, event, userId, erased: newErasedUserId(), users };
    });
  }

  /** Keeps the first half of the days, at least one. */
  #removeLaterDays(): void {
    const dayOfGroup = (group: readonly FoundUser[]) => group[0]?.day ?? 0;
    const days = [...new Set(this.#groups.values().map(dayOfGroup))].sort((a, b) => a - b);
    this.lastDay = days[Math.ceil(days.length / 2) - 1] ?? this.lastDay;
    for (const [key, group] of this.#groups)
      if (dayOfGroup(group) > this.lastDay) {
        this.#groups.delete(key);
        this.count -= group.length;
      }
    this.#maxCount = Math.max(this.#maxCount, 2 * this.count);
  }
}
