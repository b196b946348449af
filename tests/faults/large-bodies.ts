import { join } from "node:path";
import { output, type Running } from "../binary/binary.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { quantileOf } from "../support/quantile.ts";
import { queuedTimeOf } from "../support/queued-time.ts";
import { unlimitedBytes } from "./controls/byte-budget.ts";
import { database } from "./database-kept.ts";
import type { Order } from "./large-bodies-load.ts";
import { shapes } from "./large-bodies-shapes.ts";
import { fillOrganization } from "./noisy-data.ts";
import { connectTo, requestOf } from "./raw-connection.ts";
import { watchMemory } from "./resident-memory.ts";

const connections = 400;
const maxResidentMegabytes = 250;
/** The p99 of the other organization's replies, without the time in which the machine ran other programs. */
const maxMilliseconds = 50;
/** The pause between two requests of the other organization. */
const pauseMilliseconds = 2;
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
  const env = { DATABASE_URL: kept.file };
  await output(["organizations", "create", "Quiet"], { env, program });
  const quietKey = await output(["keys", "create", "--organization", "Quiet"], { env, program });
  fillOrganization(kept.file, 2, count);
  const faults: string[] = [];
  const tried = { "large bodies": 0, "replies to the other organization": 0 };
  for (const shape of shapes()) {
    if (isShort && !shape.isShort) continue;
    const server = await kept.serve();
    const endWatch = watchMemory(server.pid, kept.file);
    const load = sendAll({ url: server.url, key: kept.key, shape, connections });
    const { all, net, failed } = await measure(server, quietKey, milliseconds);
    const peak = endWatch();
    tried["large bodies"] += await load.stop();
    tried["replies to the other organization"] += all.length;
    const slowest = quantileOf(net, 0.99);
    print(
      `${shape.name}: peak ${peak.toFixed(0)} MB, p99 ${slowest.toFixed(1)} ms of another organization, ${quantileOf(all, 0.99).toFixed(1)} ms with the time in the scheduler's queue`,
    );
    faults.push(...failed.map((answer) => `${answer} to another organization: ${shape.name}`));
    if (peak > maxResidentMegabytes) faults.push(`${peak.toFixed(0)} MB of memory: ${shape.name}`);
    if (!isShort && slowest > maxMilliseconds) faults.push(`p99 ${slowest.toFixed(1)} ms: ${shape.name}`);
    await server.stop("SIGKILL");
  }
  return { tried, faults };
}

/** The times of an organization's reads and creates in turn, in milliseconds: all, and without queueing for a processor. */
async function measure({ url, pid }: Running, key: string, milliseconds: number) {
  const connection = await connectTo(url);
  const [all, net, failed]: [number[], number[], string[]] = [[], [], []];
  const list = requestOf(key, "GET", `${accounts}?pageSize=10`);
  const end = performance.now() + milliseconds;
  for (let round = 0; performance.now() < end; round += 1) {
    const request = round % 2 ? list : requestOf(key, "POST", accounts, { name: `New ${round}` });
    const queued = queuedTimeOf(pid) + queuedTimeOf("self");
    const start = performance.now();
    const answer = await connection.send(request);
    const time = performance.now() - start;
    all.push(time);
    net.push(Math.max(0, time - (queuedTimeOf(pid) + queuedTimeOf("self") - queued)));
    const status = "cut" in answer ? 0 : answer.status;
    if (status !== 200 && status !== 201) failed.push(String(status || "a closed connection"));
    if (status === 0) break;
    await Bun.sleep(pauseMilliseconds);
  }
  connection.close();
  return { all, net, failed };
}

/** Sends the body on all connections in another process. `stop` resolves with the number of bodies. */
function sendAll(order: Order) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "large-bodies-load.ts")], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  child.stdin.write(`${JSON.stringify(order)}\n`);
  child.stdin.flush();
  return {
    stop: async () => {
      child.stdin.end();
      return Number(await new Response(child.stdout).text());
    },
  };
}
