import { readFileSync } from "node:fs";
import { join } from "node:path";
import { output } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { unlimitedBodies } from "./controls/large-bodies.ts";
import { database } from "./database-kept.ts";
import type { Shape } from "./large-bodies-load.ts";
import { fillOrganization } from "./noisy-data.ts";

const connections = 400;
const maxResidentMegabytes = 250;
/** The p99 of the other organization's replies, in milliseconds. */
const maxMilliseconds = 50;
const mebibyte = 1_048_576;
const accounts = "/api/v1/accounts";

type Plan = { accounts: number; milliseconds: number; checksTimes: boolean };
const plans: Record<Scale, Plan> = {
  short: { accounts: 1_000, milliseconds: 1_500, checksTimes: false },
  long: { accounts: 100_000, milliseconds: 15_000, checksTimes: true },
};

export const largeBodies: Proof = {
  name: "large-bodies",
  claim: "Large bodies on 400 connections use little memory, and do not delay another organization",
  run: tryAll,
  controls: [unlimitedBodies],
};

async function tryAll(program: Program, scale: Scale, print: PrintLine) {
  const { accounts: count, milliseconds, checksTimes } = plans[scale];
  const kept = await database(program);
  const env = { DATABASE_URL: kept.file };
  await output(["organizations", "create", "Quiet"], { env, program });
  const quietKey = await output(["keys", "create", "--organization", "Quiet"], { env, program });
  fillOrganization(kept.file, 2, count);
  const faults: string[] = [];
  const tried = { "large bodies": 0, "replies to the other organization": 0 };
  for (const shape of shapes()) {
    const server = await kept.serve();
    const quiet = (round: number) =>
      round % 2 === 0
        ? sendRequest(server.url, quietKey, "GET", `${accounts}?pageSize=10`)
        : sendRequest(server.url, quietKey, "POST", accounts, { name: `New ${round}` });
    await quiet(0);
    const load = sendAll(server.url, kept.key, shape);
    const times: number[] = [];
    for (let end = performance.now() + milliseconds, round = 0; performance.now() < end; round += 1) {
      const start = performance.now();
      const { status } = await quiet(round);
      times.push(performance.now() - start);
      if (status !== 200 && status !== 201) faults.push(`${status} to another organization: ${shape.name}`);
    }
    tried["large bodies"] += await load.stop();
    tried["replies to the other organization"] += times.length;
    const peak = peakMegabytes(server.pid);
    const slowest = quantileOf(times, 0.99);
    print(`${shape.name}: peak ${peak.toFixed(0)} MB, p99 ${slowest.toFixed(1)} ms of another organization`);
    if (peak > maxResidentMegabytes) faults.push(`${peak.toFixed(0)} MB of memory: ${shape.name}`);
    if (checksTimes && slowest > maxMilliseconds) faults.push(`p99 ${slowest.toFixed(1)} ms: ${shape.name}`);
    await server.stop("SIGKILL");
  }
  return { tried, faults };
}

function shapes(): Shape[] {
  const event = { event: "opened", externalId: "x", userId: "u", properties: { text: "x".repeat(800) } };
  const events = JSON.stringify({ events: Array.from({ length: 950 }, () => event) });
  const batch = JSON.stringify({ batch: Array.from({ length: 950 }, () => ({ type: "track", ...event })) });
  const nested = `{"batch":[${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}]}`;
  const manyMembers = `{${Array.from({ length: 60_000 }, (_, i) => `"m${i}":[1]`).join()}}`;
  const half = { sent: mebibyte - 1 };
  return [
    { name: "events of 878 KiB", path: "/api/v1/events", hasKey: true, body: events },
    { name: "a batch without a key", path: "/v1/batch", hasKey: false, body: batch },
    { name: "nested objects without a key", path: "/v1/batch", hasKey: false, body: nested },
    { name: "60,000 members", path: accounts, hasKey: true, body: manyMembers },
    { name: "a body without its last byte", path: "/api/v1/events", hasKey: true, body: spaces(), ...half },
    {
      name: "a body without a key and its last byte",
      path: "/v1/batch",
      hasKey: false,
      body: spaces(),
      ...half,
    },
  ];
}

function spaces(): string {
  return " ".repeat(mebibyte);
}

/** Sends the body on all connections in another process. `stop` resolves with the number of bodies. */
function sendAll(url: string, key: string, shape: Shape) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "large-bodies-load.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  child.stdin.write(`${JSON.stringify({ url, key, shape, connections })}\n`);
  child.stdin.flush();
  return {
    stop: async () => {
      child.stdin.end();
      return Number(await new Response(child.stdout).text());
    },
  };
}

/** The largest resident memory of a process since its start. */
function peakMegabytes(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_024;
}
