import type { PostgresOptions } from "../../db/postgres/engine.ts";
import { createApp } from "../../src/app.ts";
import { createJobs } from "../../src/jobs/jobs.ts";
import { reactions } from "../../src/reactions.ts";
import { engineOn } from "./database.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a reply and compares it.
type SentReply = { status: number; body: any };

/** The URL of a path below `/api/v1`, unless it has a version. */
function urlOf(path: string): string {
  return `http://localhost${/^\/(api\/)?v1\//.test(path) ? "" : "/api/v1"}${path}`;
}

/** A copy of the service on a database; closed after the test. */
export async function copyOn(url: string, options: Partial<PostgresOptions> = {}) {
  const engine = await engineOn(url, { canMigrate: true, ...options });
  const jobs = createJobs({ engine, reactions, eventDays: 35, changeDays: 400 });
  const app = createApp({ engine, jobs, log: { info: () => {}, error: console.error } });
  return {
    engine,
    async send(
      key: string,
      method: string,
      path: string,
      body?: object,
      more: Record<string, string> = {},
    ): Promise<SentReply> {
      const headers = { "x-api-key": key, ...(body && { "content-type": "application/json" }), ...more };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await app.handle(new Request(urlOf(path), init));
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
    },
  };
}

export type ServiceCopy = Awaited<ReturnType<typeof copyOn>>;
