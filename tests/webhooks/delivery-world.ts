import { Followers } from "../../src/core/changes/followers.ts";
import { startDeliveries } from "../../src/jobs/deliveries.ts";
import type { LogFields } from "../../src/log.ts";
import { changeWorld } from "../changes/change-world.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import type { Body } from "../support/world.ts";
import { rulesWith } from "./receiver.ts";

const path = "/api/v1/webhooks";
type Options = Parameters<Awaited<ReturnType<typeof changeWorld>>["send"]>[3];
type Delivery = {
  sequence: number;
  status: string;
  attempts: number;
  nextAttemptAt: string | null;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
};

/** A request that an endpoint received. Times are in milliseconds of the monotonic clock. */
export type Received = {
  path: string;
  headers: Record<string, string>;
  text: string;
  body: Body;
  beginAt: number;
  /** The end of the reply, or of the connection. */
  endAt: number;
};
type Answer = (request: Received, index: number) => Response | Promise<Response>;
export type Endpoint = Awaited<ReturnType<typeof startEndpoint>>;

/** A server on 127.0.0.1 that records what it receives. */
export async function startEndpoint(initial: Answer = () => new Response(null, { status: 204 })) {
  const received: Received[] = [];
  let answer = initial;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const beginAt = performance.now();
      const text = await request.text();
      const entry: Received = {
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.headers),
        text,
        body: JSON.parse(text),
        beginAt,
        endAt: Number.POSITIVE_INFINITY,
      };
      const index = received.push(entry) - 1;
      request.signal.addEventListener("abort", () => {
        entry.endAt = Math.min(entry.endAt, performance.now());
      });
      const response = await answer(entry, index);
      entry.endAt = performance.now();
      return response;
    },
  });
  closeAfterTest(() => server.stop(true));
  return {
    url: `http://127.0.0.1:${server.port}/`,
    received,
    /** The sequence numbers of the changes that it received, in order. */
    sequences: (path?: string) =>
      received
        .filter((entry) => path === undefined || entry.path === path)
        .map(({ body }) => Number(body.sequence)),
    answerWith(next: Answer) {
      answer = next;
    },
    /** Resolves when it has received this many requests. */
    count: (count: number) => until(() => received.length >= count),
  };
}

/** Resolves when the condition is true. Throws after 30 s. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error("the condition did not become true in time");
    await Bun.sleep(5);
  }
}

/** A change world whose changes are delivered to the webhooks of its organizations, also on loopback. */
export async function deliveryWorld(options: Parameters<typeof changeWorld>[0] = {}) {
  const webhookRules = rulesWith({ isInsecure: true });
  const here = await changeWorld({ ...options, webhookRules });
  const { engine, jobs, send } = here;
  const write = (event: string, fields?: LogFields) => void here.lines.push({ event, fields });
  const followers = new Followers(engine);
  let stop = async () => {};
  const start = (usedJobs = jobs) => {
    stop = startDeliveries({
      engine,
      jobs: usedJobs,
      followers,
      rules: webhookRules,
      log: { info: write, error: write },
    });
  };
  start();
  closeAfterTest(() => stop());
  return {
    ...here,
    /** Begins to deliver again, with other jobs. */
    start,
    stop: () => stop(),
    /** Creates a webhook, and returns it with its secret. */
    webhook: (input: Body, options?: Options) => send("POST", path, input, options),
    patch: (id: number, input: Body) => send("PATCH", `${path}/${id}`, input),
    get: (id: number) => send("GET", `${path}/${id}`),
    rotate: (id: number) => send("POST", `${path}/${id}/rotate`),
    replay: (id: number, after: number) => send("POST", `${path}/${id}/replay`, { after }),
    retry: (id: number, sequence: number) => send("POST", `${path}/${id}/deliveries/${sequence}/retry`),
    /** The newest deliveries of a webhook, oldest first. */
    async deliveries(id: number): Promise<Delivery[]> {
      return (await send("GET", `${path}/${id}/deliveries`)).toReversed();
    },
  };
}
