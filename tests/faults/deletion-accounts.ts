import type { Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { PrintLine, Program } from "../support/proof.ts";
import { isDeleting, type Original, progressOf, rowsOfAccount } from "./deletion-data.ts";
import { countMarkers } from "./deletion-texts.ts";
import { describeWaits, OtherRequests } from "./other-requests.ts";
import { logged, serveCopy, untilDone } from "./served-copy.ts";
import { inspect } from "./stored-halves.ts";

const accounts = "/api/v1/accounts";
/** The share of the deleted events of which a copy may be left in the file. */
const mostCopies = 0.005;

export type AccountLimits = {
  /** Milliseconds of requests before the deletion, and after it. */
  baseline: number;
  /** Milliseconds in which the jobs delete something more. */
  patience: number;
};

/** Deletes an account under other requests: at once it is not found, and in the end no row is left. */
export async function deleteUnderRequests(
  program: Program,
  original: Original,
  limits: AccountLimits,
  print: PrintLine,
) {
  const { file, serve } = await serveCopy(program, original.file);
  const server = await serve();
  const faults: string[] = [];
  const others = new OtherRequests(server, original);
  others.start();
  await Bun.sleep(limits.baseline);
  const before = others.take();
  const start = performance.now();
  faults.push(...(await deleteAccount(server, original)));
  const isDone = await untilDeleted(server, original, { file, patience: limits.patience, faults });
  const took = performance.now() - start;
  const waits = others.take();
  if (!isDone) faults.push("the deletion does not end");
  await Bun.sleep(limits.baseline);
  const after = others.take();
  await others.end();
  faults.push(...others.faults, ...(await visible(server, original)), ...logged(server));
  await server.stop();
  faults.push(...wrongRows(file, original), ...textsLeft(file, original));
  print(`deleted in ${(took / 1_000).toFixed(1)} s: ${describeWaits(waits)}`);
  print(`  without a deletion: before ${describeWaits(before)}; after ${describeWaits(after)}`);
  return { faults, waits };
}

/**
 * Kills the program several times during a deletion. Returns how many kills hit it; after each start the account is
 * not found, and in the end no row is left.
 */
export async function killDuringDeletion(
  program: Program,
  original: Original,
  { patience, kills, longestLife }: AccountLimits & { kills: number; longestLife: number },
): Promise<{ faults: string[]; hits: number }> {
  const { file, serve } = await serveCopy(program, original.file);
  let server = await serve();
  const faults = await deleteAccount(server, original);
  let hits = 0;
  for (let kill = 0; kill < kills && faults.length === 0; kill += 1) {
    await Bun.sleep(Math.random() * longestLife);
    await server.stop("SIGKILL");
    if (!inspect(file, isDeleting)) break;
    hits += 1;
    server = await serve();
    faults.push(...(await visible(server, original)));
  }
  if (!server.isRunning()) server = await serve();
  const isDone = await untilDeleted(server, original, { file, patience, faults });
  if (!isDone) faults.push(`after ${hits} kills the deletion does not end`);
  faults.push(...logged(server));
  await server.stop();
  faults.push(...wrongRows(file, original));
  return { faults, hits };
}

/** Deletes the account; all of its external ids are free then. */
async function deleteAccount(server: Running, original: Original): Promise<string[]> {
  const { key, doomed } = original;
  const { status, text } = await sendRequest(server.url, key, "DELETE", `${accounts}/${doomed}`);
  if (status !== 204) return [`DELETE is answered ${status} ${text}`];
  const faults = await visible(server, original);
  const created = await sendRequest(server.url, key, "POST", accounts, { name: "New", externalId: "doomed" });
  const below = `${accounts}/${created.body.data?.id}`;
  const contact = { name: "New", externalId: "doomed-0", email: "doomed-0@example.com" };
  const added = await sendRequest(server.url, key, "POST", `${below}/contacts`, contact);
  if (created.status !== 201 || added.status !== 201)
    return [...faults, `the external ids are not free: ${created.text} ${added.text}`];
  const usage = await sendRequest(server.url, key, "GET", `${below}/usage`);
  if (usage.body.pagination.total !== 0) faults.push(`the new account has usage: ${usage.text}`);
  const removed = await sendRequest(server.url, key, "DELETE", below);
  if (removed.status !== 204) faults.push(`the new account's DELETE is answered ${removed.status}`);
  return faults;
}

type Deletion = { file: string; patience: number; faults: string[] };

/** Waits until the jobs have deleted everything; the account is not found all the while. */
function untilDeleted(server: Running, original: Original, { file, patience, faults }: Deletion) {
  return untilDone(patience, async () => {
    if (!inspect(file, isDeleting)) return undefined;
    faults.push(...(await visible(server, original)));
    return faults.length > 0 ? undefined : inspect(file, (client) => progressOf(client, original.doomed));
  });
}

/** The paths of the deleted account that are not 404. */
async function visible(server: Running, { key, paths }: Original): Promise<string[]> {
  const faults: string[] = [];
  for (const path of paths) {
    const { status } = await sendRequest(server.url, key, "GET", path);
    if (status !== 404) faults.push(`GET ${path} of the deleted account is answered ${status}`);
  }
  return faults;
}

/**
 * Of the deleted account only changes may be left, and of the others nothing may be gone. The score job adds a day to
 * those of the others.
 */
function wrongRows(file: string, { file: before, doomed, kept, other }: Original): string[] {
  const rows = (path: string, id: number) =>
    inspect(path, (client) => rowsOfAccount(client, id)).filter(
      (line) => !/^(?:account_)?changes:/.test(line) && (id === doomed || !line.startsWith("health_days:")),
    );
  return [
    ...rows(file, doomed).map((line) => `rows of the deleted account are left: ${line}`),
    ...[kept, other].flatMap((id) => {
      const [expected, found] = [rows(before, id).join(), rows(file, id).join()];
      return found === expected ? [] : [`of an account that is kept there are ${found}, not ${expected}`];
    }),
  ];
}

/** SQLite overwrites a row that is deleted; of some that it moved before, a copy is left until the page is used again. */
function textsLeft(file: string, { doomedEvents }: Original): string[] {
  const count = countMarkers(file);
  if (count <= doomedEvents * mostCopies) return [];
  return [`${count} texts of the ${doomedEvents} deleted events are left in the file`];
}
