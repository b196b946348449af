import { run } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { oneQueue } from "./controls/noisy.ts";
import { database } from "./database-kept.ts";
import { loadRequest, startLoad } from "./load.ts";
import { fillOrganization } from "./noisy-data.ts";
import { describeTimes, QuietClient, type QuietTimes } from "./quiet-client.ts";

const connections = 64;
const accounts = "/api/v1/accounts";
/** More than a read on the serving thread may read. */
const quietRows = 1_500;

const searchByName = `${accounts}?search=o`;

/** Requests that read many rows of the organization. `{id}`: an account. */
const heavyRequests: readonly string[] = [
  `${accounts}/{id}/requests?status=Open&page=4000&sortBy=updatedAt`,
  `${accounts}/{id}/requests?status=Open&page=4000&sortBy=createdAt`,
  `${accounts}/{id}/requests?page=5000&sortBy=updatedAt`,
  `${accounts}/{id}/requests?status=Open&page=4000&sortBy=title`,
  `${accounts}/{id}/meetings?page=5000&sortBy=title`,
  `${accounts}/{id}/requests?page=5000&sortBy=createdAt`,
  `${accounts}/{id}/requests?search=o&sortBy=requestedAt`,
  `${accounts}/{id}/requests?status=Open&sortBy=title`,
  `${accounts}/{id}/meetings?page=5000&sortBy=createdAt`,
  `${accounts}/{id}/requests?search=o&sortBy=severity`,
  `${accounts}/{id}/requests?page=5000&sortBy=title`,
  "/api/v1/requests?search=o&sortBy=requestedAt",
  `${accounts}/{id}/contacts?page=5000&sortBy=name`,
  `${accounts}/{id}/contacts?page=5000&sortBy=createdAt`,
  `${accounts}/{id}/requests?status=Open&sortBy=updatedAt`,
  `${accounts}/{id}/requests?search=o&sortBy=title`,
  `${accounts}?search=o&sortBy=updatedAt`,
  `${accounts}/{id}/meetings?search=o&sortBy=title`,
  `${accounts}?search=o&sortBy=mrr&page=300`,
  `${accounts}?search=o&sortBy=updatedAt&status=active`,
  `${accounts}?search=o&sortBy=mrr`,
  `${accounts}/{id}/meetings?search=zzzz&sortBy=startAt`,
  `${accounts}?search=o&sortBy=createdAt`,
  `${accounts}?search=orb&sortBy=mrr`,
  `${accounts}/{id}/contacts?search=o&sortBy=name`,
  `${accounts}/{id}/meetings?sortBy=title`,
  "/api/v1/requests?status=Open&page=4000&sortBy=updatedAt",
  "/api/v1/requests?search=zzzz&sortBy=title",
  searchByName,
  `${accounts}?page=6000&sortBy=name`,
];

/** Of each kind one: sorts on a thread, of accounts and of one account's rows, and a search of the index of names. */
const kindsOfHeavyRequests: readonly string[] = [
  `${accounts}?search=o&sortBy=mrr`,
  `${accounts}/{id}/requests?sortBy=title`,
  searchByName,
];

type Plan = { rows: number; requests: readonly string[]; rounds: number; checksTimes: boolean };
const plans: Record<Scale, Plan> = {
  short: { rows: 10_000, requests: kindsOfHeavyRequests, rounds: 5, checksTimes: false },
  long: { rows: 300_000, requests: heavyRequests, rounds: 150, checksTimes: true },
};
/** The other organization's own slow requests: each takes as long as one of the first. */
const searchRounds = 5;
/** The replies to the 64 connections that may be sent before that of another organization, in the median. */
const maxOvertaking = 16;
/** Replies to heavy requests before the first measurement: the first ones compile code and build indexes. */
const warmUp = { replyCount: 8 * connections, maxMilliseconds: 120_000 };
const calls = ["get", "patch", "livez"] as const;
/** The other organization's own slow request. */
const slowCalls = ["search"] as const;
/** The load may get these instead of a reply. */
const rejections = ["503 too_busy", "503 query_timeout"];
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
  const quietKey = await kept.createOrganization("Quiet");
  fillOrganization(kept.file, 1, rows);
  fillOrganization(kept.file, 2, quietRows);
  const server = await kept.serve();
  const noisyId = await firstAccount(server.url, kept.key);
  const quiet = await QuietClient.open(server, quietKey, [...calls, ...slowCalls]);
  const faults: string[] = [];
  const tried = { "heavy requests": 0, "replies to the other organization": 0 };
  for (const path of requests) {
    const request = loadRequest(kept.key, "GET", path.replace("{id}", String(noisyId)));
    const load = startLoad({ url: server.url, connections, requests: [request] });
    await load.received(warmUp.replyCount, warmUp.maxMilliseconds);
    const options = { replyCount: load.successCount };
    const fast = await quiet.measure(calls, { ...options, maxRounds: rounds });
    const slow = await quiet.measure(slowCalls, { ...options, maxRounds: searchRounds });
    const times: Record<string, QuietTimes> = { ...fast.times, ...slow.times };
    faults.push(...[...fast.failures, ...slow.failures].map((failure) => `${failure} during ${path}`));
    for (const [name, { all, overtaking }] of Object.entries(times)) {
      tried["replies to the other organization"] += all.length;
      const median = quantileOf(overtaking, 0.5);
      if (median > maxOvertaking)
        faults.push(`${median} replies to ${path} were sent before that to ${name}`);
      const [slowest, max] = [quantileOf(all, 0.99), maxMilliseconds[name] ?? Number.POSITIVE_INFINITY];
      if (checksTimes && slowest > max) faults.push(`${name} took ${slowest.toFixed(1)} ms during ${path}`);
    }
    print(`${path}: ${describeTimes(times)}`);
    const health = await run(["health", "--port", new URL(server.url).port], { program });
    if (health.code !== 0) faults.push(`accountd health exits with ${health.code} during ${path}`);
    const { statuses } = await load.stop();
    for (const status of Object.keys(statuses))
      if (status !== "200" && !rejections.includes(status)) faults.push(`${path} is ${status}`);
    tried["heavy requests"] += statuses["200"] ?? 0;
  }
  quiet.close();
  await server.stop("SIGKILL");
  return { tried, faults };
}

async function firstAccount(url: string, key: string): Promise<number> {
  const { body } = await sendRequest(url, key, "GET", `${accounts}?sortBy=createdAt&externalId=x-0`);
  return body.data[0].id;
}
