import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Scheduler } from "fast-check";
import type { Engine } from "../../db/engine.ts";
import { openDatabase } from "../../db/sqlite/engine.ts";
import { type AppOptions, createApp } from "../../src/app.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { createOrganization } from "../../src/organizations/store.ts";
import { reactions } from "../../src/reactions.ts";
import { storeKey } from "../support/keys.ts";
import { beginning } from "../support/world.ts";
import { type Body, iso } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { type Answer, Model } from "./model-state.ts";

type App = { fetch: (request: Request) => Response | Promise<Response> };
/** Makes the service, or one that is wrong, for organizations with these keys. */
export type MakeApp = (parts: AppOptions, keys: readonly string[]) => App;

export const rightApp: MakeApp = (parts) => createApp(parts);
const silent = { info: () => {}, error: () => {} };

/** How many pairs of organizations a database has, one pair for each sequence: to make a service takes as long as one. */
const pairs = 50;

/** A database of organizations, to be copied for each service, in a folder that is removed by `close`. */
export async function ground() {
  const folder = mkdtempSync(join(tmpdir(), "accountd-model-"));
  const file = join(folder, "ground.db");
  const engine = openDatabase(file, { clock: () => beginning, canCreate: true });
  const keys = await Promise.all(
    Array.from({ length: 2 * pairs }, async (_, i) => {
      const { id } = await createOrganization(engine, `Organization ${i}`);
      return (await storeKey(engine, { organizationId: id, name: "", expiresAt: null })).secret;
    }),
  );
  await engine.close();
  let copies = 0;
  return {
    keys,
    copy() {
      copies += 1;
      copyFileSync(file, join(folder, `${copies}.db`));
      return join(folder, `${copies}.db`);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The service on a database of its own, with a clock that is moved by hand. */
export class Service {
  now = beginning;
  /** Says which of the requests under way goes on: each arrives, changes something and knows of it in its turn. */
  scheduler: Scheduler | undefined;
  /** How many requests go on now, and do not wait for their turn. */
  #going = 0;
  readonly #file: string;
  readonly #keys: readonly string[];
  readonly #make: MakeApp;
  #engine: Engine;
  #app: App;
  /** The pair of organizations whose turn it is, and the last ids of all that had theirs. */
  #pair = -1;
  #lastIds = new Model().lastIds;

  constructor(file: string, keys: readonly string[], make: MakeApp) {
    this.#file = file;
    this.#keys = keys;
    this.#make = make;
    [this.#engine, this.#app] = this.#open();
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
    return {
      ...asked,
      body: JSON.parse(written) as Body,
      query: { ...query, ...(query.accountId && { accountId: String(accounts + Number(query.accountId)) }) },
      ...(id !== undefined && { id: id + this.#lastIds[isOfAccount ? "accounts" : kind] }),
    };
  }

  #open(): [Engine, App] {
    const engine = openDatabase(this.#file, { clock: () => this.now, isExclusive: true });
    const scheduled: Engine = {
      ...engine,
      // Not the reads: a read has one snapshot, so nothing comes between its statements.
      write: async (organizationId, fn) => {
        await this.#turn("change");
        try {
          return await engine.write(organizationId, fn);
        } finally {
          await this.#turn("changed");
        }
      },
    };
    const jobs = createJobs({ engine: scheduled, reactions, eventDays: 35, changeDays: 400 });
    return [engine, this.#make({ engine: scheduled, jobs, log: silent }, this.#keys)];
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
    [this.#engine, this.#app] = this.#open();
  }

  async close(): Promise<void> {
    await this.#engine.close();
    for (const suffix of ["", "-wal", "-shm", ".lock"]) rmSync(this.#file + suffix, { force: true });
  }

  async ask(asked: Asked): Promise<Answer> {
    const hasBody = Object.keys(asked.body).length > 0 || ["create", "patch", "put"].includes(asked.op);
    const request = new Request(`http://localhost/api/v1/${pathOf(asked)}`, {
      method: methods[asked.op] ?? "GET",
      headers: {
        "x-api-key": this.#keys[2 * this.#pair + asked.org] ?? "",
        ...(hasBody && { "content-type": "application/json" }),
      },
      ...(hasBody && { body: JSON.stringify(asked.body) }),
    });
    this.#going += 1;
    try {
      await this.#turn("request");
      const response = await this.#app.fetch(request);
      const text = await response.text();
      return answerOf(asked, response.status, text === "" ? {} : JSON.parse(text));
    } finally {
      this.#going -= 1;
    }
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
  const path = paths[op] ?? placeOf(op, kind, id, externalId);
  const search = new URLSearchParams(query).toString();
  return search === "" ? path : `${path}?${search}`;
}

function placeOf(op: Asked["op"], kind: Asked["kind"], id?: number, externalId?: string): string {
  if (externalId !== undefined) return `${kind}/external/${encodeURIComponent(externalId)}`;
  if (id === undefined) return kind;
  const isOfAccount = kind !== "accounts" && (op === "create" || op === "list");
  return isOfAccount ? `accounts/${id}/${kind}` : `${kind}/${id}`;
}

type Sent = { data?: unknown; pagination?: unknown; code?: string; errors?: Record<string, string>[] };

/** What an answer says, as the model says it: without the sentences, and without scores once these are consistent. */
function answerOf({ op }: Asked, status: number, sent: Sent): Answer {
  const { data, pagination, code, errors } = sent;
  if (status >= 400) {
    const told = (errors ?? []).map((one) => `${one.pointer ?? one.parameter} ${one.code}`).sort();
    return { status, code: code ?? "", errors: told };
  }
  const answer = { status, data, pagination };
  if (op === "health") return { ...answer, data: checkedHealth(data as Health).contactActivity };
  if (op === "healths") return { ...answer, data: (data as Health[]).map(unscored).sort(byAccount) };
  if (op !== "events" && op !== "seen") return answer;
  const receipt = data as Body & { items: { index: number; code: string }[] };
  return {
    ...answer,
    data: { ...receipt, items: receipt.items.map(({ index, code }) => ({ index, code })) },
  };
}

type Health = Body & { score: number | null; tier: string | null; coverage: number } & {
  contactActivity: unknown;
  factors: { contribution: number | null; weight: number }[];
};

function unscored({ score, tier, coverage, ...rest }: Health): Body {
  if (tier !== tierOf(score) || coverage < 0 || coverage > 1)
    throw new Error(`a score of ${score} is ${tier}, with a coverage of ${coverage}`);
  return rest;
}

function checkedHealth(health: Health): Health {
  unscored(health);
  const sum = (numbers: (number | null)[]) => numbers.reduce<number>((all, one) => all + (one ?? 0), 0);
  const total = sum(health.factors.map(({ contribution }) => contribution));
  const weight = sum(health.factors.map((factor) => factor.weight));
  if (Math.abs(total - (health.score ?? 0)) > 0.001)
    throw new Error(`${health.score} is the sum of ${total}`);
  if (weight / 100 !== health.coverage) throw new Error(`${health.coverage} is a weight of ${weight}`);
  return health;
}

function tierOf(score: number | null): string | null {
  if (score === null) return null;
  if (score >= 80) return "healthy";
  if (score >= 60) return "attention";
  return score >= 40 ? "at_risk" : "critical";
}

function byAccount(one: Body, other: Body): number {
  return Number(one.accountId) - Number(other.accountId);
}
