import { dayOf } from "../../../src/core/timestamps.ts";
import { db, prepare } from "./database.ts";

export type UsageEvent = {
  event: string;
  externalId: string;
  messageId?: string;
  timestamp?: string;
  userId?: string;
  properties?: object;
};

const accountByExternalId = prepare<[id: number]>(
  "SELECT id FROM accounts WHERE organization_id = ? AND external_id = ?",
);
const insertEvent = db.prepare(
  `INSERT INTO events (organization_id, account_id, message_id, event, timestamp, user_id, properties, received_at)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization_id, message_id) DO NOTHING`,
);
const insertUser = db.prepare("INSERT INTO usage_users VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING");
const countDay = db.prepare(
  `INSERT INTO usage_days VALUES (?, ?, ?, ?, 1, ?)
   ON CONFLICT DO UPDATE SET count = count + 1, users = users + excluded.users`,
);

/** Stores the events of one request and counts them, in one transaction; all name accounts that there are. */
export const receiveEvents = db.transaction((organizationId: number, events: UsageEvent[]): string => {
  const now = Date.now();
  const duplicates: string[] = [];
  let undeduplicated = 0;
  for (const [index, { event, externalId, messageId = null, userId = null, ...given }] of events.entries()) {
    const [account = 0] = accountByExternalId.values(organizationId, externalId)[0] ?? [];
    const at = given.timestamp === undefined ? now : Math.min(Date.parse(given.timestamp), now);
    const properties = given.properties ? JSON.stringify(given.properties) : null;
    const row = [organizationId, account, messageId, event, at, userId, properties, now];
    if (insertEvent.run(...row).changes === 0) {
      duplicates.push(
        `{"index":${index},"code":"duplicate","detail":"an event with this messageId was received before"}`,
      );
      continue;
    }
    if (messageId === null) undeduplicated += 1;
    const isNew = userId !== null && insertUser.run(account, dayOf(at), event, userId).changes > 0;
    countDay.run(organizationId, account, dayOf(at), event, isNew ? 1 : 0);
  }
  const accepted = events.length - duplicates.length;
  return `{"data":{"accepted":${accepted},"duplicates":${duplicates.length},"parked":0,"rejected":0,"ignored":0,"undeduplicated":${undeduplicated},"items":[${duplicates}]}}`;
}).immediate;
