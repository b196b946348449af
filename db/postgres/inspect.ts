import type { SQL } from "bun";
import { newestTimeSql } from "../clock-gaps.ts";
import { createdAtSql, type Inspection } from "../inspection.ts";

/** Reads a database and the settings of its server. */
export async function inspectServer(sql: SQL, { version }: { version: string }): Promise<Inspection> {
  const timeOf = async (query: string) => {
    const [row] = await sql.unsafe(query);
    return row?.time == null ? null : Number(row.time);
  };
  const times = { createdAt: await timeOf(createdAtSql), newestAt: await timeOf(newestTimeSql) };
  const settings = await sql`select name, setting from pg_settings`;
  // The last statement: the caller compares the clocks.
  const [state] =
    await sql`select pg_is_in_recovery() as "isStandby", pg_database_size(current_database()) as bytes,
    (select count(*) from pg_stat_activity where backend_type = 'client backend') as "connectionCount",
    floor(extract(epoch from clock_timestamp()) * 1000) as time`;
  return {
    engine: `PostgreSQL ${version}`,
    bytes: Number(state.bytes),
    ...times,
    server: {
      settings: Object.fromEntries(
        settings.map(({ name, setting }: { name: string; setting: string }) => [name, setting]),
      ),
      time: Number(state.time),
      isStandby: state.isStandby,
      connectionCount: Number(state.connectionCount),
    },
  };
}
