import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scheduler } from "fast-check";
import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { type AppOptions, createApp } from "../../src/app.ts";
import { createJobs, type Jobs } from "../../src/jobs/jobs.ts";
import { reactions } from "../../src/reactions.ts";
import { beginning } from "../support/world.ts";
import { readFeed, readHistory, readScores } from "./model-feed.ts";
import { type Organization, pairs } from "./model-ground.ts";
import { answerOf, type Reply } from "./model-replies.ts";
import { type Body, iso } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { type Answer, Model } from "./model-state.ts";

type App = { fetch: (request: Request) => Response | Promise<Response> };
/** Makes the service, or one that is wrong, for organizations with these keys. */
export type MakeApp = (parts: AppOptions, keys: readonly string[]) => App;

export const rightApp: MakeApp = (parts) => createApp(parts);
/** No change is deleted: the model cannot say which, without the changes of health. */
const changeDays = 36_500;
const silent = { info: () => {}, error: () => {} };

/** The service on a database of its own, with a clock that is moved by hand. */
export class Service {
  now = beginning;
  /** Says which of the requests under way goes on: each arrives, changes something and knows of it in its turn. */
  scheduler: Scheduler | undefined;
  /** How many requests go on now, and do not wait for their turn. */
  #going = 0;
  readonly #file: string;
  readonly #organizations: readonly Organization[];
  readonly #make: MakeApp;
  #engine: Engine;
  #jobs: Jobs;
  #app: App;
  #sentRequests = 0;
  /** The pair of organizations whose turn it is, and the last ids of all that had theirs. */
  #pair = -1;
  #lastIds = new Model().lastIds;

  constructor(file: string, organizations: readonly Organization[], make: MakeApp) {
    this.#file = file;
    this.#organizations = organizations;
    this.#make = make;
    [this.#engine, this.#jobs, this.#app] = this.#open();
  }

  /** What two organizations that have nothing yet are to see. */
  next(): Model {
    this.#pair += 1;
    return Object.assign(new Model(), { now: this.now, lastIds: { ...this.#lastIds } });
  }

  /** Notes what there is now. Returns whether there are more organizations. */
  done({ lastIds }: Model): boolean {
    this.#lastIds = lastIds;
    return this.#pair + 1 < pairs;
  }

  /** The request as it is sent: ids count from those that were given before, and moments from now. */
  sent(asked: Asked): Asked {
    const { op, kind, id, body, query } = asked;
    const { accounts } = this.#lastIds;
    const isOfAccount = op === "create" || op === "list";
    const written = JSON.stringify(body)
      .replace(/"now([+-]\d+)"/g, (_, offset) => `"${iso(this.now + Number(offset))}"`)
      .replace(/"accountId":(\d+)/g, (_, own) => `"accountId":${accounts + Number(own)}`);
    this.#sentRequests += 1;
    return {
      ...asked,
      requestId: `request-${this.#sentRequests}`,
      body: JSON.parse(written) as Body,
      query: { ...query, ...(query.accountId && { accountId: String(accounts + Number(query.accountId)) }) },
      ...(id !== undefined && { id: id + this.#lastIds[isOfAccount ? "accounts" : kind] }),
    };
  }

  #open(): [Engine, Jobs, App] {
    const engine = openDatabase(this.#file, { clock: () => this.now, isExclusive: true });
    const scheduled: Engine = {
      ...engine,
      // Not the reads: a read has one snapshot, so nothing comes between its statements.
      write: async (organizationId, fn, options) => {
        await this.#turn("change");
        try {
          return await engine.write(organizationId, fn, options);
        } finally {
          await this.#turn("changed");
        }
      },
    };
    // Jobs go on without a turn: a request that waits for one would keep all others from theirs.
    const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays, maxWaitMilliseconds: 60_000 });
    const keys = this.#organizations.map(({ secret }) => secret);
    return [engine, jobs, this.#make({ engine: scheduled, jobs, log: silent }, keys)];
  }

  async #turn(name: string): Promise<void> {
    if (!this.scheduler) return;
    this.#going -= 1;
    await this.scheduler.schedule(Promise.resolve(), name);
    this.#going += 1;
  }

  /** Resolves when all requests under way wait for their turn. */
  async atRest(): Promise<void> {
    do await nextTurn();
    while (this.#going > 0);
  }

  async restart(): Promise<void> {
    await this.#engine.close();
    [this.#engine, this.#jobs, this.#app] = this.#open();
  }

  /** Runs all jobs of both organizations until none has more to do. */
  async runJobs(): Promise<void> {
    for (const org of [0, 1])
      for (const step of Object.values(this.#jobs.steps))
        while (await step(this.#jobs.tenant(this.#organization(org).id)));
  }

  /** The ids of the requests of each organization that changed something, in the order of its change log. */
  commitOrder(): string[][] {
    const client = new Database(this.#file, { readonly: true });
    const sql =
      "SELECT request_id FROM changes WHERE organization_id = ? AND request_id IS NOT NULL ORDER BY sequence";
    const order = [0, 1].map((org) =>
      client.query(sql).values(this.#organization(org).id).flat().map(String),
    );
    client.close();
    return order;
  }

  #organization(org: number): Organization {
    const organization = this.#organizations[2 * this.#pair + org];
    if (!organization) throw new Error("there is no such organization");
    return organization;
  }

  async close(): Promise<void> {
    await this.#engine.close();
    for (const suffix of ["", "-wal", "-shm", ".lock"]) rmSync(this.#file + suffix, { force: true });
  }

  async ask(asked: Asked): Promise<Answer> {
    this.#going += 1;
    try {
      await this.#turn("request");
      return await this.#answer(asked);
    } finally {
      this.#going -= 1;
    }
  }

  async #answer(asked: Asked): Promise<Answer> {
    const { op, org, id = 0, query } = asked;
    const { secret, actor } = this.#organization(org);
    const send = (path: string, query: Asked["query"]) =>
      this.#send("GET", withQuery(path, query), { secret });
    if (op === "changes") return readFeed(send, query, actor);
    if (op === "history") return readHistory(send, id, query, actor);
    if (op === "scores") return readScores(send);
    const hasBody = Object.keys(asked.body).length > 0 || ["create", "patch", "put"].includes(op);
    const request = { secret, requestId: asked.requestId, ...(hasBody && { body: asked.body }) };
    return answerOf(op, await this.#send(methods[op] ?? "GET", pathOf(asked), request));
  }

  async #send(
    method: string,
    path: string,
    { secret, requestId, body }: { secret: string; requestId?: string | undefined; body?: Body },
  ): Promise<Reply> {
    const request = new Request(`http://localhost/api/v1/${path}`, {
      method,
      headers: {
        "x-api-key": secret,
        ...(requestId !== undefined && { "x-request-id": requestId }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const response = await this.#app.fetch(request);
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
  }
}

const methods: Partial<Record<Asked["op"], string>> = {
  create: "POST",
  events: "POST",
  seen: "POST",
  patch: "PATCH",
  put: "PUT",
  delete: "DELETE",
};

function pathOf({ op, kind, id, externalId, query }: Asked): string {
  const paths: Partial<Record<Asked["op"], string>> = {
    events: "events",
    seen: "last-seen",
    unmatched: "events/unmatched",
    usage: `accounts/${id}/usage`,
    health: `accounts/${id}/health`,
    healths: "health",
  };
  return withQuery(paths[op] ?? placeOf(op, kind, id, externalId), query);
}

function withQuery(path: string, query: Asked["query"]): string {
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}

function placeOf(op: Asked["op"], kind: Asked["kind"], id?: number, externalId?: string): string {
  if (externalId !== undefined) return `${kind}/external/${encodeURIComponent(externalId)}`;
  if (id === undefined) return kind;
  const isOfAccount = kind !== "accounts" && (op === "create" || op === "list");
  return isOfAccount ? `accounts/${id}/${kind}` : `${kind}/${id}`;
}
