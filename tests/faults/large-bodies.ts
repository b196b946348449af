import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { unlimitedBytes } from "./controls/byte-budget.ts";
import { database } from "./database-kept.ts";
import { startLoad } from "./load.ts";
import { watchMemory } from "./memory.ts";
import { fillOrganization } from "./noisy-data.ts";
import { describeTimes, QuietClient } from "./quiet-client.ts";

const connections = 400;
const maxResidentMegabytes = 250;
/** The p99 of the other organization's replies, without the time in which the machine ran other programs. */
const maxMilliseconds = 50;
/** The time in which the first body must have a reply, after which the other organization is measured. */
const maxStartMilliseconds = 10_000;
const quietCalls = ["list", "create"] as const;
const accounts = "/api/v1/accounts";

type Plan = { accounts: number; milliseconds: number; isShort: boolean };
const plans: Record<Scale, Plan> = {
  short: { accounts: 1_000, milliseconds: 2_000, isShort: true },
  long: { accounts: 100_000, milliseconds: 15_000, isShort: false },
};

export const largeBodies: Proof = {
  name: "large-bodies",
  runsAlone: true,
  claim: "Large bodies on 400 connections use little memory, and do not delay another organization",
  run: tryAll,
  controls: [unlimitedBytes],
};

async function tryAll(program: Program, scale: Scale, print: PrintLine) {
  const { accounts: count, milliseconds, isShort } = plans[scale];
  const kept = await database(program);
  const quietKey = await kept.createOrganization("Quiet");
  fillOrganization(kept.file, 2, count);
  const faults: string[] = [];
  const tried = { "large bodies": 0, "replies to the other organization": 0 };
  for (const shape of shapes()) {
    if (isShort && !shape.isShort) continue;
    const server = await kept.serve();
    const endWatch = watchMemory(server.pid, kept.file);
    const quiet = await QuietClient.open(server, quietKey, quietCalls);
    const load = startLoad({
      url: server.url,
      connections,
      requests: [textOf(shape, kept.key)],
      isFresh: true,
    });
    await load.received(1, maxStartMilliseconds);
    const { times, failures } = await quiet.measure(quietCalls, {
      maxMilliseconds: milliseconds,
      replyCount: load.replyCount,
    });
    const peak = endWatch();
    const { statuses } = await load.stop();
    quiet.close();
    tried["large bodies"] += Object.values(statuses).reduce((sum, one) => sum + one, 0);
    tried["replies to the other organization"] += times.list.all.length + times.create.all.length;
    const slowest = quantileOf([...times.list.net, ...times.create.net], 0.99);
    print(`${shape.name}: peak ${peak.toFixed(0)} MB; ${describeTimes(times)}`);
    faults.push(...failures.map((failure) => `${failure} of another organization: ${shape.name}`));
    if (peak > maxResidentMegabytes) faults.push(`${peak.toFixed(0)} MB of memory: ${shape.name}`);
    if (!isShort && slowest > maxMilliseconds) faults.push(`p99 ${slowest.toFixed(1)} ms: ${shape.name}`);
    await server.stop("SIGKILL");
  }
  return { tried, faults };
}

/** A request that all connections send. */
type Shape = {
  name: string;
  path: string;
  /** The key that is sent in a header, if any. */
  key?: "valid" | "invalid";
  body: string;
  /** Sends the body in one chunk without content-length. */
  isChunked?: boolean;
  /** The bytes that are sent, where the rest never arrives. */
  sent?: number;
  /** Whether the short form of the proof sends it. */
  isShort?: boolean;
};

const mebibyte = 1_048_576;
const events = "/api/v1/events";
const batch = "/v1/batch";

/** The first one is harmless: the others are compared with it. */
function shapes(): Shape[] {
  const event = { event: "opened", externalId: "x", userId: "u", properties: { text: "x".repeat(800) } };
  const listOf = (count: number) => JSON.stringify({ events: Array.from({ length: count }, () => event) });
  const calls = Array.from({ length: 950 }, () => ({ type: "track", ...event }));
  const nested = `{"batch":[${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}]}`;
  const empty = `{"event":"opened","externalId":"x","properties":{"a":[${"[],".repeat(320)}[]]}}`;
  const arraysOf = (count: number) => `{"events":[${Array.from({ length: count }, () => empty).join()}]}`;
  const membersOf = (count: number) => `{${Array.from({ length: count }, (_, i) => `"m${i}":[1]`).join()}}`;
  const spaces = " ".repeat(mebibyte);
  const half = { body: spaces, sent: mebibyte - 1 };
  return [
    {
      name: "one text of 878 KiB",
      path: accounts,
      key: "valid",
      body: JSON.stringify({ name: "A", more: "x".repeat(898_000) }),
    },
    { name: "950 events", path: events, key: "valid", body: listOf(950), isShort: true },
    { name: "950 events in a chunk", path: events, key: "valid", body: listOf(950), isChunked: true },
    { name: "60 events", path: events, key: "valid", body: listOf(60) },
    { name: "1,000 events of 320 arrays", path: events, key: "valid", body: arraysOf(1_000), isShort: true },
    { name: "250 events of 320 arrays", path: events, key: "valid", body: arraysOf(250) },
    { name: "60,000 members", path: accounts, key: "valid", body: membersOf(60_000), isShort: true },
    { name: "20,000 members", path: accounts, key: "valid", body: membersOf(20_000) },
    { name: "nested objects", path: batch, key: "valid", body: nested },
    { name: "events with an invalid key", path: events, key: "invalid", body: listOf(950) },
    { name: "a batch without a key", path: batch, body: JSON.stringify({ batch: calls }) },
    { name: "512 KiB without a key", path: batch, body: JSON.stringify({ batch: calls.slice(0, 544) }) },
    { name: "nested objects without a key", path: batch, body: nested },
    { name: "a body without its last byte", path: events, key: "valid", isShort: true, ...half },
    { name: "a body without a key and its last byte", path: batch, ...half },
  ];
}

/** The text of the request. */
function textOf({ path, key, body, isChunked, sent = body.length }: Shape, validKey: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "content-type: application/json",
    isChunked ? "transfer-encoding: chunked" : `content-length: ${body.length}`,
    ...(key ? [`x-api-key: ${key === "valid" ? validKey : validKey.replace(/.{8}$/, "00000000")}`] : []),
  ];
  const text = isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body.slice(0, sent);
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}
