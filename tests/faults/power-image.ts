import { Database } from "bun:sqlite";
import { contactOf, type Fact, nameOf, sizeOfBatch, statuses } from "./power-load.ts";
import { damageOf, storedHalves } from "./stored-halves.ts";

type Account = {
  id: string;
  name: string;
  mrr: number;
  status: string;
  contacts: string | null;
  foldedName: string;
};
type Counted = { id: string; count: number };

/** One line for each fault of the database after the loss: a missing acknowledged change, or an invalid row. */
export function faultsOf(file: string, answered: readonly Fact[], thorough: boolean): string[] {
  const database = new Database(file, { readwrite: true, create: false, strict: true });
  try {
    // The image need not survive another loss of power.
    database.run("PRAGMA synchronous = OFF");
    const damage = damageOf(database, thorough ? "integrity_check" : "quick_check").slice(0, 3);
    return damage.length > 0
      ? damage.map((line) => `corrupt: ${line}`)
      : [...halvesOf(database), ...lostOf(database, answered)];
  } catch (error) {
    return [`corrupt: ${error}`];
  } finally {
    database.close();
  }
}

const accounts = `
  SELECT external_id AS id, a.name, a.mrr, a.status, a.folded_name AS foldedName,
    (SELECT group_concat(c.name) FROM contacts c WHERE c.organization_id = a.organization_id AND c.account_id = a.id)
      AS contacts
  FROM accounts a`;
const batches =
  "SELECT substr(message_id, 1, instr(message_id, ':') - 1) AS id, count(*) AS count FROM events GROUP BY 1";

/** Changes that are stored only partly. */
function halvesOf(database: Database): string[] {
  const halves: string[] = [];
  for (const { id, name, mrr, status, contacts, foldedName } of database.query<Account, []>(accounts).all()) {
    if (contacts !== contactOf(id)) halves.push(`account ${id} has the contact ${contacts}`);
    if (name !== nameOf(id, mrr)) halves.push(`account ${id} of ${mrr} has the name ${name}`);
    if (status !== statuses[mrr % statuses.length]) halves.push(`account ${id} of ${mrr} is ${status}`);
    if (foldedName !== name) halves.push(`account ${id} has the folded name ${foldedName}`);
  }
  for (const { id, count } of database.query<Counted, []>(batches).all())
    if (count !== sizeOfBatch(id)) halves.push(`of the events ${id} there are ${count}`);
  halves.push(...storedHalves(database));
  return halves.map((line) => `half stored: ${line}`);
}

function lostOf(database: Database, answered: readonly Fact[]): string[] {
  const ids = (sql: string) =>
    new Set(
      database
        .query<{ id: string }, []>(sql)
        .all()
        .map(({ id }) => id),
    );
  const stored = new Map(
    database
      .query<Account, []>(accounts)
      .all()
      .map(({ id, mrr }) => [id, mrr]),
  );
  const requests = ids("SELECT external_id AS id FROM requests");
  const events = ids(batches);
  const organizations = ids("SELECT name AS id FROM organizations");
  const keys = ids("SELECT last_four AS id FROM api_keys");
  const isThere: Record<Fact["kind"], (fact: Fact) => boolean> = {
    organization: ({ id }) => organizations.has(id),
    key: ({ id }) => keys.has(id),
    account: ({ id, version }) => (stored.get(id) ?? -1) >= version,
    request: ({ id, version }) => requests.has(id) === (version === 1),
    events: ({ id }) => events.has(id),
  };
  const lost = answered.filter((fact) => !isThere[fact.kind](fact));
  return lost.map(({ kind, id, version }) => `lost: ${kind} ${id}, version ${version}`);
}
