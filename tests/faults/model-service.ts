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
/** Creates the service, or a broken one, for organizations with these keys. */
export type MakeApp = (parts: AppOptions, keys: readonly string[]) => App;

export const rightApp: MakeApp = (parts) => createApp(parts);
/** No change is deleted: without the changes of health, the model does not have the oldest ones. */
const changeDays = 36_500;
const silent = { info: () => {}, error: () => {} };

/** The service on its own database, with a clock that the proof sets. */
export class Service {
  now = beginning;
  /** Chooses the open request that continues: each arrives, writes and receives its reply in separate steps. */
  scheduler: Scheduler | undefined;
  /** The number of requests that run now and do not wait for the scheduler. */
  #going = 0;
  readonly #file: string;
  readonly #organizations: readonly Organization[];
  readonly #make: MakeApp;
  #engine: Engine;
  #jobs: Jobs;
  #app: App;
  #sentRequests = 0;
  /** The current pair of organizations, and the last ids of the pairs before it. */
  #pair = -1;
  #lastIds = new Model().lastIds;

  constructor(file: string, organizations: readonly Organization[], make: MakeApp) {
    this.#file = file;
    this.#organizations = organizations;
    this.#make = make;
    [this.#engine, this.#jobs, this.#app] = this.#open();
  }

  /** The expected model of two empty organizations. */
  next(): Model {
    this.#pair += 1;
    return Object.assign(new Model(), { now: this.now, lastIds: { ...this.#lastIds } });
  }

  /** Stores the current last ids. Returns whether there are more organizations. */
  done({ lastIds }: Model): boolean {
    this.#lastIds = lastIds;
    return this.#pair + 1 < pairs;
  }

  /** The request as it is sent: ids are added to the last ones of earlier pairs, and timestamps to the current time. */
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
    const engine = openDatabase(this.#file, {
      clock: () => this.now,
      elapsed: () => this.now,
      isExclusive: true,
    });
    const scheduled: Engine = {
      ...engine,
      // Reads do not wait: a read has one snapshot, so its statements cannot be interleaved.
      write: async (organizationId, fn, options) => {
        await this.#turn("change");
        try {
          return await engine.write(organizationId, fn, options);
        } finally {
          await this.#turn("changed");
        }
      },
    };
    // Jobs do not wait for the scheduler: a request that waits for a job would block all others.
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

  /** Resolves when all open requests wait for the scheduler. */
  async atRest(): Promise<void> {
    do await nextTurn();
    while (this.#going > 0);
  }

  async restart(): Promise<void> {
    await this.#engine.close();
    [this.#engine, this.#jobs, this.#app] = this.#open();
  }

  /** Runs all jobs of both organizations to their end. */
  async runJobs(): Promise<void> {
    for (const org of [0, 1])
      for (const step of Object.values(this.#jobs.steps))
        while (await step(this.#jobs.tenant(this.#organization(org).id)));
  }

  /** The request ids in the change log of each organization, in order. */
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
