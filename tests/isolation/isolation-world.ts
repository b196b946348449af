import { expect } from "bun:test";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import * as schema from "../../db/schema.ts";
import { runDueJobs } from "../../src/jobs/scheduler.ts";
import { setOrganizationTraits } from "../../src/organizations/settings.ts";
import type { Change } from "../changes/change-world.ts";
import { openStream } from "../changes/stream-reader.ts";
import { type Body, beginning, type Reply, world } from "../support/world.ts";

/** The ids of an organization's key, its account, and of a contact, a meeting and a request with the same external id. */
export type OwnedIds = { key: number; account: number; webhook: number; delivery: number } & Record<
  "contacts" | "meetings" | "requests",
  number
>;
export type List = "contacts" | "meetings" | "requests";

/** Two organizations in one database. `send` uses the key of the owner of `mine`; no reply may have data of `theirs`. */
export type IsolationWorld = {
  theirs: OwnedIds;
  mine: OwnedIds;
  send(method: string, path: string, body?: Body): Promise<Reply>;
  /** The first changes of a stream. */
  streamed(query: string, count: number): Promise<Change[]>;
  /** Turns on that the traits of an organization's calls are stored. */
  storeTraits(owner: "theirs" | "mine"): Promise<void>;
  /** Runs every due job. */
  runJobs(): Promise<unknown>;
  /** All rows of an organization, as text. */
  rowsOf(owner: "theirs" | "mine"): Promise<string>;
  /** The stored keys of an organization, without the time of their last use. */
  keysOf(owner: "theirs" | "mine"): Promise<Record<string, unknown>[]>;
  /** The row of an organization. */
  organizationOf(owner: "theirs" | "mine"): Promise<Record<string, unknown>>;
  /** The text of all replies to reads of the owner of `theirs`. */
  theirReplies(): Promise<string>;
};
/** The test of a route with the key of another organization. */
export type Case = (isolationWorld: IsolationWorld) => Promise<void>;

/** The body that creates a row of each list. */
export const newBodies: Record<List, Body> = {
  contacts: { name: "Ada", email: "ada@x.io", userId: "shared" },
  meetings: { title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" },
  requests: { title: "SSO", status: "Done" },
};

/** An id and an external id that no row has. */
export const missing = 987_654_321;
export const nobody = "nobody";

export async function isolationWorld(): Promise<IsolationWorld> {
  const here = await world();
  const { call, engine, jobs, first, second } = here;
  const lists = Object.keys(newBodies) as List[];

  async function createRows(key: string, externalId: string, delivery: number): Promise<OwnedIds> {
    const post = async (path: string, body: Body): Promise<Body> => {
      // The changes have the same request id in each world.
      const reply = await call("POST", path, body, { key, headers: { "x-request-id": "created" } });
      if (reply.status > 201 || reply.body.data.items?.length > 1) throw new Error(`rejected: ${reply.text}`);
      return reply.body.data;
    };
    const create = async (path: string, body: Body): Promise<number> =>
      Number((await post(path, { ...body, externalId })).id);
    const attributes = { [externalId]: externalId, owner: externalId };
    const account = await create("/api/v1/accounts", { name: `Of ${externalId}`, mrr: 7, attributes });
    const accountPath = `/api/v1/accounts/${account}`;
    const [contacts, meetings, requests] = [
      await create(`${accountPath}/contacts`, newBodies.contacts),
      await create(`${accountPath}/meetings`, newBodies.meetings),
      await create(`${accountPath}/requests`, newBodies.requests),
    ];
    await post(`${accountPath}/contacts`, {
      ...{ name: "Grace", email: `${externalId}@x.io`, userId: `of ${externalId}`, attributes },
    });
    const event = {
      event: "login",
      externalId,
      messageId: `message of ${externalId}`,
      userId: `user of ${externalId}`,
    };
    const pending = { event: "login", externalId: `waiting for ${externalId}` };
    await post("/api/v1/events", { events: [event, pending] });
    const lastSeen = { externalId, source: "platform", lastSeenAt: "2026-01-01" };
    await post("/api/v1/last-seen", { items: [lastSeen] });
    const [row] = await here.rows<{ id: number }>(
      "SELECT id FROM api_keys WHERE last_four = ?",
      key.slice(-4),
    );
    const { id: webhook } = await post("/api/v1/webhooks", { url: `https://93.184.215.14/of-${externalId}` });
    await here.execute(`INSERT INTO webhook_deliveries
        (organization_id, webhook_id, sequence, account_id, status, response_body, created_at)
      SELECT organization_id, id, ${delivery}, 0, 'delivered', 'of ${externalId}', ${beginning} FROM webhooks WHERE id = ${webhook}`);
    return {
      ...{ key: Number(row?.id), account, contacts, meetings, requests },
      ...{ webhook: Number(webhook), delivery },
    };
  }

  const theirs = await createRows(first.key, "theirs", 1);
  const mine = await createRows(second.key, "mine", 2);
  const runJobs = () => runDueJobs({ engine, jobs });
  // Run the due jobs now, so that none changes rows during a case.
  await runJobs();
  return {
    theirs,
    mine,
    send: (method, path, body) => call(method, path, body, { key: second.key }),
    async streamed(query, count) {
      const stream = await openStream((request) => here.app.fetch(request), second.key, query);
      const changes = await stream.take(count);
      await stream.close();
      return changes;
    },
    storeTraits: (owner) => setOrganizationTraits(engine, owner === "theirs" ? first.id : second.id, true),
    runJobs,
    rowsOf: (owner) => allRows(here, owner === "theirs" ? first.id : second.id),
    keysOf: (owner) =>
      here.rows(
        "SELECT id, name, hash, scopes, revoked_at FROM api_keys WHERE organization_id = ?",
        owner === "theirs" ? first.id : second.id,
      ),
    async organizationOf(owner) {
      const id = owner === "theirs" ? first.id : second.id;
      const [row] = await here.rows<Record<string, unknown>>("SELECT * FROM organizations WHERE id = ?", id);
      return row ?? {};
    },
    async theirReplies() {
      const account = `/api/v1/accounts/${theirs.account}`;
      const subResources = lists.flatMap((list) => [`/api/v1/${list}/${theirs[list]}`, `${account}/${list}`]);
      const usage = [
        ...[`${account}/usage`, "/api/v1/usage", "/api/v1/usage/accounts", "/api/v1/events"],
        "/api/v1/events/unmatched",
        ...[`${account}/health`, `${account}/health/history`, "/api/v1/health"],
      ];
      const changes = [`${account}/history`, "/api/v1/changes"];
      const webhook = `/api/v1/webhooks/${theirs.webhook}`;
      const webhooks = ["/api/v1/webhooks", webhook, `${webhook}/deliveries`, `${webhook}/deliveries/1`];
      const rows = ["/api/v1/accounts", account, "/api/v1/requests", ...subResources, ...webhooks];
      const paths = [...rows, ...usage, ...changes];
      const replies = await Promise.all(paths.map((path) => call("GET", path)));
      expect(replies.map(({ status }) => status)).toEqual(paths.map(() => 200));
      return replies.map(({ text }) => text).join("\n");
    },
  };
}

async function allRows({ rows }: Awaited<ReturnType<typeof world>>, organizationId: number): Promise<string> {
  const tables = Object.values(schema)
    .filter((value) => is(value, SQLiteTable))
    .map(getTableConfig)
    // The use of a key changes lastUsedAt.
    .filter(({ columns }) => columns.some(({ name }) => name === "organization_id"))
    .filter(({ name }) => name !== "api_keys");
  const all: [table: string, rows: string[]][] = [];
  for (const { name } of tables) {
    const tenantRows = await rows(`SELECT * FROM ${name} WHERE organization_id = ?`, organizationId);
    all.push([name, tenantRows.map((row) => JSON.stringify(row)).toSorted()]);
  }
  return JSON.stringify(all);
}

/** The reply must have the same bytes as for a row that does not exist. The request id is only in a header. */
export async function sameAsMissing<Id extends string | number>(
  send: (id: Id) => Promise<Reply>,
  theirs: Id,
  absent: Id,
  status = 404,
): Promise<void> {
  const [reply, absentReply] = [await send(theirs), await send(absent)];
  expect([reply.status, absentReply.status]).toEqual([status, status]);
  expect(reply.text).toBe(absentReply.text);
  expect(comparableHeaders(reply, theirs)).toEqual(comparableHeaders(absentReply, absent));
}

/** Without the request id, and with a placeholder for the id of the request, which Link repeats. */
function comparableHeaders({ headers }: Reply, id: string | number): [string, string][] {
  return [...headers]
    .filter(([name]) => name !== "x-request-id")
    .map(([name, value]) => [name, name === "link" ? value.replaceAll(`=${id}&`, "=ID&") : value]);
}
