import { millisecondsOfDay, momentOf, mostAhead, oldest, refusals } from "../fastify/values.mjs";
import { prepare, transaction } from "./database.mjs";

const accountsByExternalId = prepare(
  "SELECT id, external_id FROM accounts WHERE organization_id = $1 AND external_id = ANY ($2::text[])",
);
const accountsById = prepare(
  "SELECT id FROM accounts WHERE organization_id = $1 AND id = ANY ($2::bigint[])",
);
const insertEvents = prepare(
  `INSERT INTO events (organization_id, received_at, account_id, message_id, event, timestamp, user_id, properties)
   SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[])
   ON CONFLICT (organization_id, message_id) DO NOTHING RETURNING message_id`,
);
const insertUsers = prepare(
  `INSERT INTO usage_users (organization_id, account_id, day, event, user_id)
   SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[])
   ON CONFLICT DO NOTHING RETURNING account_id, day, event`,
);
const countDays = prepare(
  `INSERT INTO usage_days AS stored (organization_id, account_id, day, event, count, users, first_at, last_at)
   SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[],
     $8::bigint[])
   ON CONFLICT (organization_id, account_id, day, event) DO UPDATE SET count = stored.count + excluded.count,
     users = stored.users + excluded.users, first_at = least(stored.first_at, excluded.first_at),
     last_at = greatest(stored.last_at, excluded.last_at)`,
);

/** Stores the events of one request and counts them into their accounts' days: five statements for all of them. */
export function receiveEvents(organizationId, events) {
  const now = Date.now();
  return transaction(async (client) => {
    const accounts = await accountsOf(client, organizationId, events);
    const candidates = events.map((event, index) => candidateOf(event, index, accounts, now));
    const valid = candidates.filter(({ code }) => code === undefined);
    const { rows } = await client.query(
      insertEvents(
        ...[
          organizationId,
          now,
          column(valid, "account"),
          column(valid, "messageId"),
          column(valid, "event"),
        ],
        ...[column(valid, "time"), column(valid, "user"), column(valid, "json")],
      ),
    );
    const stored = new Set(rows.map((row) => row.message_id));
    for (const one of valid)
      if (one.messageId !== null && !stored.delete(one.messageId)) one.code = "duplicate";
    await count(
      client,
      organizationId,
      valid.filter(({ code }) => code === undefined),
    );
    return receiptOf(candidates);
  });
}

/** The ids of the accounts of the events, by external id and by id. */
async function accountsOf(client, organizationId, events) {
  const accounts = new Map();
  const externalIds = events.flatMap(({ accountId, externalId }) =>
    accountId === undefined ? (externalId ?? []) : [],
  );
  const ids = events.flatMap(({ accountId }) => accountId ?? []);
  if (externalIds.length > 0) {
    const { rows } = await client.query(accountsByExternalId(organizationId, [...new Set(externalIds)]));
    for (const { id, external_id } of rows) accounts.set(external_id, id);
  }
  if (ids.length > 0) {
    const { rows } = await client.query(accountsById(organizationId, [...new Set(ids)]));
    for (const { id } of rows) accounts.set(id, id);
  }
  return accounts;
}

/** The row of an event, or the code of its rejection. */
function candidateOf(
  { event, accountId, externalId, messageId, timestamp, userId, properties },
  index,
  accounts,
  now,
) {
  const at = timestamp === undefined ? now : momentOf(timestamp);
  if (at > now + mostAhead) return { index, code: "in_future" };
  if (at < now - oldest) return { index, code: "too_old" };
  const account = accounts.get(accountId ?? externalId);
  if (account === undefined) return { index, code: "unknown_account" };
  const time = Math.min(at, now);
  const day = Math.floor(time / millisecondsOfDay);
  const json = properties ? JSON.stringify(properties) : null;
  return { index, account, messageId: messageId || null, event, time, day, user: userId || null, json };
}

/** Counts the events by account, day and name, in one order, so that two requests never wait for each other's rows. */
async function count(client, organizationId, stored) {
  const days = new Map();
  const users = new Map();
  for (const { account, day, event, time, user } of stored) {
    const key = `${account} ${day} ${event}`;
    const counted = days.get(key) ?? { account, day, event, count: 0, users: 0, first: time, last: time };
    counted.count += 1;
    counted.first = Math.min(counted.first, time);
    counted.last = Math.max(counted.last, time);
    days.set(key, counted);
    if (user !== null) users.set(`${key} ${user}`, { account, day, event, user });
  }
  if (days.size === 0) return;
  const seen = sorted(users);
  const { rows } = await client.query(
    insertUsers(organizationId, ...["account", "day", "event", "user"].map((name) => column(seen, name))),
  );
  for (const { account_id, day, event } of rows) days.get(`${account_id} ${day} ${event}`).users += 1;
  const counted = sorted(days);
  const names = ["account", "day", "event", "count", "users", "first", "last"];
  await client.query(countDays(organizationId, ...names.map((name) => column(counted, name))));
}

function sorted(rows) {
  return [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
}

function column(rows, name) {
  return rows.map((row) => row[name]);
}

function receiptOf(candidates) {
  const rejected = candidates.filter(({ code }) => code !== undefined);
  const duplicates = rejected.filter(({ code }) => code === "duplicate").length;
  return {
    accepted: candidates.length - rejected.length,
    duplicates,
    parked: 0,
    rejected: rejected.length - duplicates,
    ignored: 0,
    undeduplicated: candidates.filter(({ code, messageId }) => code === undefined && messageId === null)
      .length,
    items: rejected.map(({ index, code }) => ({ index, code, detail: refusals[code] })),
  };
}
