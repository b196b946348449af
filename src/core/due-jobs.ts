import { asc, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Snapshot } from "../../db/engine.ts";
import { allOf, type Column, integerInput, isInJson, textInput } from "../../db/expressions.ts";
import { organizations } from "../../db/schema.ts";
import { select } from "../../db/statements.ts";
import { maxScannedRows } from "./pauses.ts";
import type { TenantTable } from "./tenant/statements.ts";

/** The values on which it depends whether a job has work. Times are milliseconds since 1970 UTC. */
type DueTimes = {
  now: number;
  /** As `Tenant.retentionTime`. */
  retentionTime: number;
  eventDays: number;
  changeDays: number;
};

/** The condition that a step of a job has work for an organization. */
export type DueCondition = {
  /** An SQL condition on the organization of a row. False only without work; rarely true without work. */
  isDue: SQL;
  /** The inputs of `isDue`, besides `now` and `retentionTime`. No two jobs have an input of the same name. */
  inputs?: (times: DueTimes) => Record<string, number>;
};

type FirstRow = { from: TenantTable; where?: SQL | undefined; orderBy?: SQL; offset?: number };

/**
 * A value of the first row of the organization that matches `where`; null without one. `exists` would let PostgreSQL
 * read the rows of all organizations into a hash table.
 */
export function firstValue(value: Column | SQL, { from, where, orderBy, offset = 0 }: FirstRow): SQL {
  const order = orderBy ? sql` order by ${orderBy}` : sql``;
  const skipped = offset > 0 ? sql.raw(` offset ${offset}`) : sql``;
  const ofOrganization = allOf(eq(from.organizationId, organizations.id), where);
  return sql`${sql`(select ${value} from ${from} where ${ofOrganization}${order} limit 1${skipped})`}`;
}

/** The condition that the organization has a row that matches `where`. */
export function hasRow(row: FirstRow): SQL {
  return sql`${firstValue(sql`1`, row)} is not null`;
}

/**
 * An aggregate of the first 10,000 rows of the organization that match `where`: one organization does not take most of the
 * time. `value` is one of `value`.
 */
export function sampleOf(
  aggregate: "count" | "sum" | "min",
  value: Column | SQL,
  { from, where }: Pick<FirstRow, "from" | "where">,
): SQL<number | null> {
  const ofOrganization = allOf(eq(from.organizationId, organizations.id), where);
  const rows = sql`select ${value} as value from ${from} where ${ofOrganization} limit ${sql.raw(String(maxScannedRows))}`;
  // PostgreSQL's sum of bigints is numeric.
  return sql<
    number | null
  >`${sql`(select cast(${sql.raw(aggregate)}(value) as bigint) from (${rows}) as sampled)`}`;
}

/** Returns a function that reads samples of some organizations, with one statement. */
export function sampleReader<S extends string>(name: string, samples: Record<S, SQL<number | null>>) {
  const statement = select(name, {
    fields: { id: organizations.id, ...samples },
    from: organizations,
    where: isInJson(organizations.id, textInput("ids")),
  });
  return (snapshot: Snapshot, ids: readonly number[]) =>
    snapshot.all(statement, { now: snapshot.now, ids: JSON.stringify(ids) });
}

export type DueJobs<J extends string> = { organizationId: number; jobs: J[] };

const idsAfter = select("organizations.idsAfter", {
  fields: { id: organizations.id },
  from: organizations,
  where: gt(organizations.id, integerInput("afterId")),
  orderBy: [asc(organizations.id)],
  paged: true,
});

/** The ids of the organizations after one, in their order. */
export async function readOrganizationIds(snapshot: Snapshot, afterId: number, limit: number) {
  const rows = await snapshot.all(idsAfter, { afterId, limit, offset: 0 });
  return rows.map(({ id }) => id);
}

/**
 * Returns a function that reads the jobs that have work for each of some organizations. It is the only read of the rows
 * of several organizations.
 */
export function dueJobsReader<J extends string>(name: string, conditions: Record<J, DueCondition>) {
  // Safe: the keys of the parameter.
  const jobs = Object.keys(conditions) as J[];
  const bits = jobs.map(
    (job, i) => sql`case when ${conditions[job].isDue} then ${sql.raw(String(2 ** i))} else 0 end`,
  );
  const statement = select(name, {
    fields: { id: organizations.id, due: sql<number>`${sql.join(bits, sql` + `)}` },
    from: organizations,
    where: isInJson(organizations.id, textInput("ids")),
  });
  return async (snapshot: Snapshot, times: DueTimes, ids: readonly number[]): Promise<DueJobs<J>[]> => {
    const { now, retentionTime } = times;
    const inputs: Record<string, number> = { now, retentionTime };
    for (const job of jobs) Object.assign(inputs, conditions[job].inputs?.(times));
    const rows = await snapshot.all(statement, { ...inputs, ids: JSON.stringify(ids) });
    return rows.map(({ id, due }) => ({
      organizationId: id,
      jobs: due === 0 ? [] : jobs.filter((_, i) => (due >> i) & 1),
    }));
  };
}
