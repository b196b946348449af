import type { SQL } from "bun";

/** What the public schema has: a sorted list of lines, each with one property of one table. */
export async function shapeOf(sql: SQL): Promise<string[]> {
  const rows: { line: string }[] = await sql`
    with relation as (
      select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
        and relname not in ('schema_migrations', 'leases', 'organization_locks', 'write_lanes')
    )
    select format('%s: table', relname) as line from relation
    union all
    select format('%s: column %s %s %s%s%s%s%s', relname, row_number() over (partition by relation.oid order by attnum), attname, format_type(atttypid, atttypmod),
      case when collname <> 'default' then ' collate ' || collname end,
      case when attnotnull then ' not null' end,
      ' default ' || coalesce(pg_get_expr(adbin, adrelid), '-'),
      ' identity ' || attidentity::text)
    from relation join pg_attribute on attrelid = relation.oid and attnum > 0 and not attisdropped
      left join pg_collation on pg_collation.oid = attcollation
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select format('%s: constraint %s%s', relname, case when contype in ('p', 'u') then conname || ' ' end,
      pg_get_constraintdef(pg_constraint.oid))
    from relation join pg_constraint on conrelid = relation.oid and contype <> 'n'
    union all
    select format('%s: %s', relname, pg_get_indexdef(indexrelid))
    from relation join pg_index on indrelid = relation.oid
    union all
    select format('%s: trigger %s', relname, tgname)
    from relation join pg_trigger on tgrelid = relation.oid and not tgisinternal
    order by line`;
  return rows.map(({ line }) => line);
}
