import { Database } from "bun:sqlite";

const words = "acme globex initech umbrella hooli stark wayne wonka orbit nova delta corp group labs".split(
  " ",
);
const statuses = ["active", "active", "active", "onboarding", "churned"];
const tiers = ["critical", "at_risk", "attention", "healthy"];

/**
 * Fills an organization whose first account has this many requests, contacts and meetings, as many as it has accounts.
 * Writes SQL, because requests would take hours. No server may run.
 */
export function fillOrganization(file: string, organizationId: number, count: number): void {
  const client = new Database(file, { readwrite: true });
  client.run("PRAGMA synchronous = OFF");
  client.transaction(() => {
    const first = fillAccounts(client, organizationId, count);
    fillSubResources(client, organizationId, first, count);
  })();
  client.close();
}

/** A name that occurs once, of two words. */
function nameOf(i: number): string {
  return `${words[i % words.length]} ${words[Math.floor(i / 7) % words.length]} ${i.toString(36)}`;
}

/** Returns the id of the first account. */
function fillAccounts(client: Database, organizationId: number, count: number): number {
  const insert = client.prepare(
    `INSERT INTO accounts (organization_id, name, folded_name, external_id, folded_external_id, mrr, status, created_at,
      updated_at, score, tier, coverage, rank) VALUES (?1, ?2, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0.5, ?8)`,
  );
  let first = 0;
  for (let i = 0; i < count; i += 1) {
    const status = statuses[i % statuses.length] ?? "";
    const tier = i % tiers.length;
    const [mrr, createdAt] = [(i * 7_919) % 100_003, (i * 104_729) % 1_000_003];
    const score = tier * 20 + 30;
    const { lastInsertRowid } = insert.run(
      organizationId,
      nameOf(i),
      `x-${i}`,
      mrr,
      status,
      createdAt,
      createdAt + ((i * 31) % 1_009),
      score,
      tiers[tier] ?? "",
    );
    first ||= Number(lastInsertRowid);
  }
  client.run(
    `INSERT INTO account_counts SELECT organization_id, status, coalesce(tier, 'none'), count(*)
      FROM accounts WHERE organization_id = ? GROUP BY 2, 3`,
    [organizationId],
  );
  return first;
}

function fillSubResources(client: Database, organizationId: number, accountId: number, count: number): void {
  const request = client.prepare(
    `INSERT INTO requests (organization_id, account_id, title, folded_title, status, severity, requested_at, created_at,
      updated_at) VALUES (?1, ?2, ?3, ?3, 'Open', ?4, ?5, ?5, ?5)`,
  );
  const contact = client.prepare(
    `INSERT INTO contacts (organization_id, account_id, name, folded_name, email, folded_email, created_at, updated_at)
      VALUES (?1, ?2, ?3, ?3, ?4, ?4, ?5, ?5)`,
  );
  const meeting = client.prepare(
    `INSERT INTO meetings (organization_id, account_id, title, folded_title, start_at, end_at, created_at, updated_at)
      VALUES (?1, ?2, ?3, ?3, ?4, ?4, ?4, ?4)`,
  );
  for (let i = 0; i < count; i += 1) {
    const at = (i * 104_729) % 1_000_003;
    request.run(organizationId, accountId, nameOf(i), (i % 5) + 1, at);
    contact.run(organizationId, accountId, nameOf(i), `u${i}@example.com`, at);
    meeting.run(organizationId, accountId, nameOf(i), at);
  }
}
