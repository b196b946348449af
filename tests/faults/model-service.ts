import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scheduler } from "fast-check";
import type { Engine } from "../../db/engine.ts";
import { type AppOptions, createApp } from "../../src/app.ts";
import { createJobs, type Jobs } from "../../src/jobs/jobs.ts";
import { reactions } from "../../src/reactions.ts";
import { beginning } from "../support/world.ts";
import { Client, cursorOf, type ReplyCache } from "./model-client.ts";
import { readFeed, readHistory } from "./model-feed.ts";
import { type ModelDatabase, type Organization, pairs } from "./model-ground.ts";
import { isRead, withQuery } from "./model-paths.ts";
import { References } from "./model-references.ts";
import { answerOf } from "./model-replies.ts";
import type { Asked } from "./model-rules.ts";
import { type Answer, Model } from "./model-state.ts";

type App = { fetch: (request: Request) => Response | Promise<Response> };
/** Creates the service, or a broken one, for organizations with these keys. */
export type MakeApp = (parts: AppOptions, keys: readonly string[]) => App;

export const rightApp: MakeApp = (parts) => createApp(parts);
/** No change is deleted: without the changes of health, the model does not have the oldest ones. */
const changeDays = 36_500;
const silent = { info: () => {}, error: () => {} };

/** Long enough for the job of a request to finish on a busy machine. */
const maxWaitMilliseconds = 10_000;

/** A copy of the service on the database. */
type ServiceCopy = { engine: Engine; jobs: Jobs; app: App };

/** The copies of the service on their own database, with a clock that the proof sets. Each request is sent to the next copy. */
export class Service {
  now = beginning;
  /** Chooses the open request that continues: each arrives, writes and receives its reply in separate steps. */
  scheduler: Scheduler | undefined;
  /** The number of requests that run now and do not wait for the scheduler. */
  #going = 0;
  readonly #database: ModelDatabase;
  readonly #organizations: readonly Organization[];
  readonly #make: MakeApp;
  #copies: ServiceCopy[];
  #sentRequests = 0;
  #callCount = 0;
  /** The current pair of organizations. */
  #pair = -1;
  readonly #references: References;
  readonly #cache: ReplyCache = new Map();
  /** The requests of the current pair that have an Idempotency-Key, and the GETs of one row. */
  repeatable: Asked[] = [];
  /** The cursor of the last list. */
  cursor: string | undefined;

  constructor(database: ModelDatabase, organizations: readonly Organization[], make: MakeApp) {
    this.#database = database;
    this.#organizations = organizations;
    this.#make = make;
    this.#references = new References({ areIdsConsecutive: database.createdIds === undefined });
    this.#copies = this.#open();
  }

  /** The expected model of two empty organizations. */
  next(): Model {
    this.#pair += 1;
    this.#references.clear();
    this.repeatable = [];
    this.#cache.clear();
    const { lastIds, created } = this.#references;
    const createdIds = this.#database.createdIds && created;
    const keys = [0, 1].map((org) => this.#organization(org).actor);
    return Object.assign(new Model(), { now: this.now, lastIds: { ...lastIds }, createdIds, keys });
  }

  /** Stores the current last ids. Returns whether there are more organizations. */
  done({ lastIds }: Model): boolean {
    this.#references.lastIds = lastIds;
    return this.#pair + 1 < pairs;
  }

  /** The request as it is sent: ids are those of rows at these positions, and timestamps are added to the current time. */
  sent(asked: Asked): Asked {
    const sent = this.again(this.#references.resolve(asked, this.now));
    if (sent.key !== undefined || sent.op === "get") this.repeatable.push(sent);
    return sent;
  }

  /** The same request once more. */
  again(asked: Asked): Asked {
    this.#sentRequests += 1;
    return { ...asked, requestId: `request-${this.#sentRequests}` };
  }

  #open(): ServiceCopy[] {
    return this.#database.openEngines(() => this.now).map((engine) => this.#startCopy(engine));
  }

  #startCopy(engine: Engine): ServiceCopy {
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
    const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays, maxWaitMilliseconds });
    const keys = this.#organizations.map(({ secret }) => secret);
    return { engine, jobs, app: this.#make({ engine: scheduled, jobs, log: silent }, keys) };
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
    await this.#closeCopies();
    this.#copies = this.#open();
  }

  async #closeCopies(): Promise<void> {
    await Promise.all(this.#copies.map(({ engine }) => engine.close()));
  }

  #nextCopy(): ServiceCopy {
    const copy = this.#copies[this.#callCount % this.#copies.length];
    this.#callCount += 1;
    if (!copy) throw new Error("there is no copy of the service");
    return copy;
  }

  /** Runs all jobs of both organizations to their end. */
  async runJobs(): Promise<void> {
    const { jobs } = this.#nextCopy();
    for (const org of [0, 1])
      for (const step of Object.values(jobs.steps))
        while (await step(jobs.tenant(this.#organization(org).id)));
  }

  /** The request ids in the change log of each organization, in order. */
  commitOrder(): Promise<string[][]> {
    return Promise.all([0, 1].map((org) => this.#database.requestIds(this.#organization(org).id)));
  }

  /** Reads the ids of the rows that a request created, unless they are consecutive. */
  async #readCreated({ org, requestId = "" }: Asked): Promise<void> {
    const created = await this.#database.createdIds?.(this.#organization(org).id, requestId);
    this.#references.addRows(requestId, created ?? []);
  }

  #organization(org: number): Organization {
    const organization = this.#organizations[2 * this.#pair + org];
    if (!organization) throw new Error("there is no such organization");
    return organization;
  }

  async close(): Promise<void> {
    await this.#closeCopies();
    await this.#database.close();
  }

  async ask(asked: Asked): Promise<Answer> {
    this.#going += 1;
    try {
      await this.#turn("request");
      const answer = await this.#answer(asked);
      if (answer.status === 201 || (answer.status === 200 && !isRead(asked.op)))
        await this.#readCreated(asked);
      return answer;
    } finally {
      this.#going -= 1;
    }
  }

  async #answer(asked: Asked): Promise<Answer> {
    const { op, org, id = 0, query } = asked;
    const client = this.#clientOf(this.#organization(org).secret);
    const send = (path: string, query: Asked["query"]) => client.get(withQuery(path, query));
    if (op === "changes") return readFeed(send, query);
    if (op === "history") return readHistory(send, id, query);
    const reply = await client.send(asked);
    const answer = answerOf(op, reply);
    if (op === "list") this.cursor = cursorOf(reply);
    if (query.dryRun === undefined || answer.isReplayed) return answer;
    return { ...answer, ...(answer.status < 400 && { data: undefined }) };
  }

  /** The client of a key, whose requests go to one copy after another. */
  #clientOf(secret: string): Client {
    return new Client((request) => this.#nextCopy().app.fetch(request), secret, this.#cache);
  }
}
