import { output, run } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { oneQueue } from "./controls/noisy.ts";
import { database } from "./database-kept.ts";
import { fillOrganization } from "./noisy-data.ts";
import { heavyRequests, kindsOfHeavyRequests } from "./noisy-requests.ts";

const connections = 64;
/** The pause after a 503, in milliseconds. */
const retryMilliseconds = 50;
const accounts = "/api/v1/accounts";
/** More than a read on the serving thread may read. */
const quietRows = 1_500;

type Plan = { rows: number; requests: readonly string[]; rounds: number; checksTimes: boolean };
const plans: Record<Scale, Plan> = {
  short: { rows: 10_000, requests: kindsOfHeavyRequests, rounds: 5, checksTimes: false },
  long: { rows: 300_000, requests: heavyRequests, rounds: 150, checksTimes: true },
};
/** The other organization's own slow requests: each takes as long as one of the first. */
const searchRounds = 5;
/** The replies to the 64 connections that may be sent before that of another organization, in the median. */
const maxOvertaking = 16;
const warmUpRounds = 20;
/** Replies to heavy requests before the first measurement: the first ones compile code and build indexes. */
const warmUpReplyCount = 8 * connections;
/** The p99 in milliseconds. */
const maxMilliseconds: Record<string, number> = { get: 25, patch: 60, livez: 10 };

export const noisy: Proof = {
  name: "noisy",
  runsAlone: true,
  claim: "An organization that sends slow requests on 64 connections does not delay another one",
  run: tryAll,
  controls: [oneQueue],
};

async function tryAll(program: Program, scale: Scale, print: PrintLine) {
  const { rows, requests, rounds, checksTimes } = plans[scale];
  const kept = await database(program);
  const env = { DATABASE_URL: kept.file };
  await output(["organizations", "create", "Quiet"], { env, program });
  const quietKey = await output(["keys", "create", "--organization", "Quiet"], { env, program });
  fillOrganization(kept.file, 1, rows);
  fillOrganization(kept.file, 2, quietRows);
  const server = await kept.serve();
  const quiet = (method: string, path: string, body?: unknown) =>
    sendRequest(server.url, quietKey, method, path, body);
  const noisyId = await firstAccount(server.url, kept.key);
  const id = await firstAccount(server.url, quietKey);
  const calls: Record<string, (round: number) => Promise<{ status: number }>> = {
    get: () => quiet("GET", `${accounts}/${id}`),
    patch: (round) => quiet("PATCH", `${accounts}/${id}`, { mrr: round }),
    livez: () => quiet("GET", "/livez"),
    search: () => quiet("GET", `${accounts}?search=o&sortBy=mrr`),
  };
  // The first calls of a process are slower: their code is not compiled yet.
  for (let round = 0; round < warmUpRounds; round += 1)
    for (const call of Object.values(calls)) await call(round);
  const faults: string[] = [];
  const tried = { "heavy requests": 0, "replies to the other organization": 0 };
  for (const path of requests) {
    const noise = makeNoise(server.url, kept.key, path.replace("{id}", String(noisyId)));
    await noise.started;
    for (const [name, call] of Object.entries(calls)) {
      const times: number[] = [];
      const overtaking: number[] = [];
      for (let round = 0; round < (name === "search" ? searchRounds : rounds); round += 1) {
        const [start, before] = [performance.now(), noise.replyCount()];
        const { status } = await call(round);
        times.push(performance.now() - start);
        overtaking.push(noise.replyCount() - before);
        if (status !== 200) faults.push(`${name} is ${status} during ${path}`);
        tried["replies to the other organization"] += 1;
      }
      const median = quantileOf(overtaking, 0.5);
      if (median > maxOvertaking)
        faults.push(`${median} replies to ${path} were sent before that to ${name}`);
      const [slowest, max] = [quantileOf(times, 0.99), maxMilliseconds[name] ?? Number.POSITIVE_INFINITY];
      print(
        `${path}: ${name} p50 ${quantileOf(times, 0.5).toFixed(1)} ms, p99 ${slowest.toFixed(1)} ms, after ${median} others`,
      );
      if (checksTimes && slowest > max) faults.push(`${name} took ${slowest.toFixed(1)} ms during ${path}`);
    }
    const health = await run(["health", "--port", new URL(server.url).port], { program });
    if (health.code !== 0) faults.push(`accountd health exits with ${health.code} during ${path}`);
    faults.push(...(await noise.stop()));
    tried["heavy requests"] += noise.replyCount();
  }
  await server.stop("SIGKILL");
  return { tried, faults };
}

async function firstAccount(url: string, key: string): Promise<number> {
  const { body } = await sendRequest(url, key, "GET", `${accounts}?sortBy=createdAt&externalId=x-0`);
  return body.data[0].id;
}

/**
 * Sends a request on all connections until it is stopped. `started` resolves after `warmUpReplyCount` replies.
 */
function makeNoise(url: string, key: string, path: string) {
  let isOver = false;
  let replies = 0;
  let repliesOfAnyStatus = 0;
  const faults: string[] = [];
  const started = Promise.withResolvers<void>();
  const loop = async () => {
    while (!isOver) {
      const { status, body } = await sendRequest(url, key, "GET", path);
      repliesOfAnyStatus += 1;
      if (repliesOfAnyStatus === warmUpReplyCount) started.resolve();
      if (status === 200) replies += 1;
      else if (body.code === "too_busy" || body.code === "query_timeout") await Bun.sleep(retryMilliseconds);
      else faults.push(`${path} is ${status} ${body.code}`);
    }
  };
  const loops = Promise.all(Array.from({ length: connections }, loop));
  return {
    started: started.promise,
    replyCount: () => replies,
    stop: async () => {
      isOver = true;
      await loops;
      return faults;
    },
  };
}
