import type { Database } from "bun:sqlite";

/** A quarter of the accounts has each plan. */
const plan =
  "CASE (id * 7919) % 4 WHEN 0 THEN 'enterprise' WHEN 1 THEN 'free' WHEN 2 THEN 'pro' ELSE 'team' END";
/** One of a thousand accounts has each number. */
const seats = "(id * 7919) % 1000";

/** Gives all accounts of an organization the attributes `plan` and `seats`, as the service would have stored them. */
export function fillAttributes(database: Database, organizationId: number): void {
  const run = (sql: string) => database.run(sql, [organizationId]);
  const values = "INSERT INTO attribute_values (organization_id, resource, row_id, name, text, number)";
  const names = "INSERT INTO attribute_names (organization_id, resource, name, type, count)";
  const ofOrganization = "FROM accounts WHERE organization_id = ?";
  database.transaction(() => {
    run(
      `UPDATE accounts SET attributes = json_object('plan', ${plan}, 'seats', ${seats}) WHERE organization_id = ?`,
    );
    run(`${values} SELECT organization_id, 'account', id, 'plan', ${plan}, NULL ${ofOrganization}`);
    run(`${values} SELECT organization_id, 'account', id, 'seats', NULL, ${seats} ${ofOrganization}`);
    run(
      `${names} SELECT organization_id, 'account', 'plan', 'string', count(*) ${ofOrganization} GROUP BY 1`,
    );
    run(
      `${names} SELECT organization_id, 'account', 'seats', 'number', count(*) ${ofOrganization} GROUP BY 1`,
    );
  })();
}
