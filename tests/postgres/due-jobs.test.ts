import { expect, test } from "bun:test";
import { PostgresStatement } from "../../db/postgres/prepared.ts";
import { statementNamed } from "../database/prepared.ts";
import "../../src/jobs/jobs.ts";
import "../../src/jobs/samples.ts";
import { migratedDatabase, withSql } from "./database.ts";

/** Rows of many organizations in the tables that are read, so that a scan or a hash table would cost little. */
const rows = [
  `insert into organizations (id, name, folded_name, created_at)
    select 8 + n, 'org ' || n, 'org ' || n, 0 from generate_series(1, 1000) as s (n)`,
  `insert into accounts (organization_id, name, folded_name, mrr, status, created_at, updated_at, score_stale_at)
    select id, 'a', 'a', 0, 'active', 0, 0, 9 from organizations, generate_series(1, 5)`,
  `insert into events (organization_id, external_id, message_id, event, timestamp, received_at)
    select id, 'x', n, 'e', 0, 9 from organizations, generate_series(1, 5) as s (n)`,
  `insert into health_progress (organization_id, last_event_id) select id, 0 from organizations`,
  `insert into account_counts (organization_id, status, tier, count)
    select id, status, 'none', 1 from organizations, unnest(array['active', 'churned']) as s (status)`,
  `insert into changes (organization_id, sequence, resource, action, resource_id, account_id, changed_at, actor_type)
    select id, n, 'account', 'created', 1, 1, 9, 'job' from organizations, generate_series(1, 5) as s (n)`,
  `insert into attachments select id, 'x', 1, 1, 1, 0, 0 from organizations`,
  `insert into account_deletions select id, 1, 1 from organizations`,
  `insert into expiring_days select id, 1, 1, 'e' from organizations`,
  `insert into organization_settings select id, 0, 'k' from organizations`,
  `insert into health_settings (organization_id) select id from organizations`,
  `insert into attribute_types (organization_id, resource, name, type) select id, 'account', 'a', 'date' from organizations`,
  `insert into webhooks (organization_id, url, format, ordered, active, secret, position, created_at, updated_at)
    select id, 'https://x.io', 'accountd', 'account', 1, 'x', 1, 0, 0 from organizations`,
  `insert into webhook_deliveries (organization_id, webhook_id, sequence, account_id, status, created_at)
    select organization_id, id, n, 0, status, 0 from webhooks,
      unnest(array[1, 2, 3], array['pending', 'delivered', 'failed']) as s (n, status)`,
  `insert into usage_sum_users select id, 1, 'e', 'u', 1 from organizations`,
];

type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  "Recheck Cond"?: string;
  Plans?: PlanNode[];
};

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** The nodes of PostgreSQL's plan for any inputs of the statement. */
async function planOf(url: string, name: string): Promise<PlanNode[]> {
  const { sql: text } = new PostgresStatement(statementNamed(name));
  return withSql(url, async (sql) => {
    // As the connections of the service.
    await sql.unsafe("set enable_seqscan = off").simple();
    await sql.unsafe("set plan_cache_mode = force_generic_plan").simple();
    await sql.unsafe(`prepare due as ${text}`).simple();
    const [{ count }] =
      await sql`select cardinality(parameter_types) as count from pg_prepared_statements where name = 'due'`;
    const inputs = new Array(Number(count)).fill("1").join(", ");
    const [row] = await sql.unsafe(`explain (format json) execute due (${inputs})`).simple();
    return nodesOf(row["QUERY PLAN"][0].Plan);
  });
}

test.each([
  ["empty tables", []],
  ["rows of 1,000 organizations", [...rows, "vacuum analyze"]],
])(
  "with %s, the due jobs and the samples are found by probes of indexes that begin with the organization",
  async (_name, statements) => {
    const url = await migratedDatabase();
    await withSql(url, async (sql) => {
      for (const statement of statements) await sql.unsafe(statement).simple();
    });
    for (const [name, tableCount] of [
      ["jobs.due", 16],
      ["jobs.samples", 5],
    ] as const) {
      const nodes = await planOf(url, name);
      const reads = nodes.filter((node) => node["Node Type"].includes("Scan"));
      const tables = reads.map((node) => node["Relation Name"]).filter((table) => table);
      expect(new Set(tables).size).toBe(tableCount);
      const conditionOf = (node: PlanNode) => node["Index Cond"] ?? node["Recheck Cond"] ?? "";
      const isOfOne = (node: PlanNode) =>
        /organization_id = organizations\.id|^\(id = webhook_deliveries\w*\.webhook_id\)$/.test(
          conditionOf(node),
        );
      const others = reads.filter((node) => !isOfOne(node));
      expect(others.flatMap((node) => node["Relation Name"] ?? [])).toEqual(["organizations"]);
      expect(nodes.map((node) => node["Node Type"]).filter((type) => /Sort|Hash|Seq/.test(type))).toEqual([]);
    }
  },
);
