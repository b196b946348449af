import type { Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { makePendingEvents, type PendingEvents, pendingId } from "./attachments-data.ts";
import { inOneStep, withHalfBatches, withoutJob, withoutResume } from "./controls/attachments.ts";
import { describeWaits, OtherRequests, withoutWaits } from "./other-requests.ts";
import { logged, serveCopy, untilDone } from "./served-copy.ts";

/** The PATCH that sets the external id changes 2,000 events at most. */
const maxPatchMilliseconds = 250;

type Plan = {
  events: number;
  /** Fewer, because after a kill the program reads the whole file before it serves. */
  eventsUnderKills: number;
  kills: number;
  maxLifeMilliseconds: number;
  patienceMilliseconds: number;
};
const plans: Record<Scale, Plan> = {
  short: {
    events: 20_000,
    eventsUnderKills: 20_000,
    kills: 2,
    maxLifeMilliseconds: 200,
    patienceMilliseconds: 4_000,
  },
  long: {
    events: 4_000_000,
    eventsUnderKills: 300_000,
    kills: 30,
    maxLifeMilliseconds: 1_000,
    patienceMilliseconds: 60_000,
  },
};

export const attachments: Proof = {
  name: "attachments",
  runsAlone: true,
  claim: "Pending events are attached in steps: no request waits for them, and no kill loses or repeats one",
  async run(program, scale, print) {
    const plan = plans[scale];
    const killed = await killDuringSteps(
      program,
      await makePendingEvents(program, plan.eventsUnderKills),
      plan,
    );
    const tried = { events: plan.events, "kills during the steps": killed.hits };
    if (killed.faults.length > 0) return { tried, faults: killed.faults };
    print(`${killed.hits} kills during the steps`);
    const original = await makePendingEvents(program, plan.events);
    const attach = () => attachUnderRequests(program, original, plan, print);
    const { faults, requests } = await withoutWaits(attach);
    return { tried: { ...tried, "requests during them": requests }, faults };
  },
  controls: [withoutJob, withoutResume, inOneStep, withHalfBatches],
};

/** Sets the external id and kills the program several times before the last step. Each event must be counted once. */
async function killDuringSteps(program: Program, original: PendingEvents, plan: Plan) {
  const { serve, check } = await serveCopy(program, original.file);
  let server = await serve();
  const faults = await setExternalId(server, original);
  let hits = 0;
  for (let kill = 0; kill < plan.kills && faults.length === 0; kill += 1) {
    await Bun.sleep(Math.random() * plan.maxLifeMilliseconds);
    const isPending = (await pendingEvents(server, original)) > 0;
    await server.stop("SIGKILL");
    if (isPending) hits += 1;
    server = await serve();
    faults.push(...(await miscounted(server, original)));
    if (!isPending) break;
  }
  if (faults.length === 0) faults.push(...(await untilAttached(server, original, plan)));
  faults.push(...(await miscounted(server, original)), ...logged(server));
  await server.stop();
  faults.push(...(await check()));
  return { faults, hits };
}

/** Sets the external id while others send requests. */
async function attachUnderRequests(program: Program, original: PendingEvents, plan: Plan, print: PrintLine) {
  const { serve } = await serveCopy(program, original.file);
  const server = await serve();
  const others = new OtherRequests(server, original);
  others.start();
  const start = performance.now();
  const faults = await setExternalId(server, original);
  if (faults.length === 0) faults.push(...(await untilAttached(server, original, plan)));
  const waits = others.take();
  await others.end();
  faults.push(...others.faults, ...(await miscounted(server, original)), ...logged(server));
  await server.stop();
  print(`attached in ${((performance.now() - start) / 1_000).toFixed(1)} s: ${describeWaits(waits)}`);
  return { faults, waits };
}

async function setExternalId(server: Running, { key, target }: PendingEvents): Promise<string[]> {
  const start = performance.now();
  const path = `/api/v1/accounts/${target}`;
  const { status, text } = await sendRequest(server.url, key, "PATCH", path, { externalId: pendingId });
  const took = performance.now() - start;
  if (status !== 200) return [`the PATCH that takes the id is answered ${status} ${text}`];
  return took > maxPatchMilliseconds ? [`the PATCH that takes the id took ${took.toFixed(0)} ms`] : [];
}

/** Waits for the last step. A fault when for some time no event was attached. */
async function untilAttached(server: Running, original: PendingEvents, { patienceMilliseconds }: Plan) {
  const isDone = await untilDone(
    patienceMilliseconds,
    async () => (await pendingEvents(server, original)) || undefined,
  );
  return isDone ? [] : ["events stay pending"];
}

async function pendingEvents(server: Running, original: PendingEvents): Promise<number> {
  return (await readUsage(server, original)).pending;
}

/** Every event is pending or counted. */
async function miscounted(server: Running, original: PendingEvents): Promise<string[]> {
  const { pending, counted } = await readUsage(server, original);
  if (pending + counted === original.count) return [];
  return [`of ${original.count} events ${pending} are pending and ${counted} counted`];
}

/** One reply, so both numbers are of one snapshot. */
async function readUsage({ url }: Running, { key, target }: PendingEvents) {
  const { body } = await sendRequest(url, key, "GET", `/api/v1/accounts/${target}/usage?pageSize=1000`);
  const rows: { count: number }[] = body.data;
  return {
    pending: Number(body.pendingEvents ?? 0),
    counted: rows.reduce((sum, { count }) => sum + count, 0),
  };
}
