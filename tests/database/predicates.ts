/** The statement and its parts in parentheses: `own` is the text without deeper parts, `whole` with them. */
export function scopesOf(sql: string): { own: string; whole: string }[] {
  const { scopes, parts } = splitScopes(sql);
  const expand = (text: string): string =>
    text.replace(/#(\d+);/g, (_, i) => `(${expand(parts[Number(i)] ?? "")})`);
  return scopes.map((own) => ({ own, whole: expand(own) }));
}

/** The parts in parentheses, the innermost first, then the statement. In each, a deeper part is replaced by `#n;`. */
function splitScopes(sql: string): { parts: string[]; scopes: string[] } {
  const parts: string[] = [];
  let text = sql;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\(([^()]*)\)/, (_, inside: string) => `#${parts.push(inside) - 1};`);
  }
  return { parts, scopes: [...parts, text] };
}

/**
 * The parts of a statement that could read or change rows of another organization. The statement has the names of its
 * inputs, such as `?organizationId`. `ownTables` are the tables with rows of organizations.
 */
export function breaches(sql: string, ownTables: readonly string[]): string[] {
  const { parts, scopes } = splitScopes(sql.replaceAll("cast(?organizationId as bigint)", "?organizationId"));
  return scopes.flatMap((scope) => {
    const [whole, target = "", query = ""] = insertOfQuery.exec(scope) ?? [];
    return ownTables.flatMap((table) => {
      if (whole === undefined) return breachesIn(scope, table, parts);
      return [...breachesOfTarget(target, table, query, parts), ...breachesIn(query, table, parts)];
    });
  });
}

const insertOfQuery = /^insert into (.*?) (select .*)$/;

/** New rows of the organization of the rows that a query returns. */
function breachesOfTarget(target: string, table: string, query: string, parts: string[]): string[] {
  const [whole, columnsAt] = new RegExp(`^"${table}" #(\\d+);$`).exec(target) ?? [];
  if (whole === undefined) return [];
  const columns = (parts[Number(columnsAt)] ?? "").split(", ");
  const fields = (/^select (.*?) from /.exec(query)?.[1] ?? "").split(", ");
  const isOwn = fields[columns.indexOf('"organization_id"')] === '"organization_id"';
  return isOwn ? [] : [`${table} gets rows of no organization`];
}

function breachesIn(scope: string, table: string, parts: string[]): string[] {
  if (new RegExp(`(?<![".\\w])${table}(?!["\\w])`, "i").test(scope)) return [`${table} without quotes`];
  const isNamed = new RegExp(`(?<!\\.)"${table}"(?!\\.)`).test(scope);
  if (!isNamed) return [];
  if (scope.startsWith("insert ")) return breachesOfInsert(scope, table, parts);
  const own = `"${table}"."organization_id" = ?organizationId`;
  if (/ set .*"organization_id" =.* where /.test(scope)) return [`${table} moves to another organization`];
  const where = / where (.*?)(?: group by .*| order by .*| limit .*| returning .*)?$/.exec(scope)?.[1] ?? "";
  const condition = /^#(\d+);$/.exec(where);
  const terms = condition ? (parts[Number(condition[1])] ?? "") : where;
  const isOwn = !/ or /i.test(terms) && terms.split(" and ").includes(own);
  return isOwn ? [] : [`${table} without ${own}`];
}

/** One new row of the organization. On conflict, only a row of the organization is updated. */
function breachesOfInsert(scope: string, table: string, parts: string[]): string[] {
  const form = new RegExp(
    `^insert into "${table}" #(\\d+); values #(\\d+);(?: on conflict #(\\d+); do (?:nothing|update set (.*?)))?(?: returning .*)?$`,
  );
  const [whole, columnsAt, valuesAt, targetAt, set = ""] = form.exec(scope) ?? [];
  if (whole === undefined) return [`${table} gets rows by an insert of an unknown form`];
  const [columns, values] = [columnsAt, valuesAt].map((at) => (parts[Number(at)] ?? "").split(", "));
  if (values?.[columns?.indexOf('"organization_id"') ?? -1] !== "?organizationId")
    return [`${table} gets a row of no organization`];
  const isOwn = targetAt === undefined || parts[Number(targetAt)]?.includes('"organization_id"');
  if (!isOwn) return [`${table} is compared with any organization's rows`];
  return /"organization_id" =/.test(set) ? [`${table} moves to another organization`] : [];
}
