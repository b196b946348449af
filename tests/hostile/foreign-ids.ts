import type { Reply } from "../faults/raw-connection.ts";
import type { Outcome, PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { Random, scramble } from "../support/random.ts";
import type { Sent } from "./client.ts";
import { feedOfEveryOrganization, readsEveryOrganization, recordsRefusals } from "./controls/foreign-ids.ts";
import { type Document, documentOf } from "./document.ts";
import { askings, type RequestWithIds, takings } from "./foreign-requests.ts";
import { furnish, hashOf, type Ids, nobody, settled } from "./foreign-site.ts";
import { atSite, type Site, sentWith, textOf } from "./site.ts";

/** The number of accounts of the other organization, and of the requests for each place that has an id. */
const sizes = { short: { accounts: 3, requests: 26 }, long: { accounts: 40, requests: 10_000 } };
/** Operations without ids, or which read only data of the key's organization. */
const nameless = [
  "GET /api/v1/attributes",
  "GET /api/v1/changes",
  "GET /api/v1/changes/summary",
  "GET /api/v1/health",
  "GET /api/v1/health/summary",
  "GET /api/v1/keys",
  "GET /api/v1/webhooks",
  "GET /api/v1/me",
  "GET /api/v1/health/settings",
  "PUT /api/v1/health/settings",
  "POST /api/v1/health/preview",
  "GET /api/v1/organization",
  "GET /api/v1/usage",
  "GET /api/v1/usage/accounts",
  "PATCH /api/v1/organization",
  "POST /api/v1/keys",
  "POST /api/v1/webhooks",
  "PUT /api/v1/attributes/{name}",
];
/** Operations that create rows with the ids of others: `takings` has them. */
const creating = ["POST /api/v1/accounts", "POST /api/v1/accounts/batch"];

async function run(program: Program, scale: Scale, printLine: PrintLine): Promise<Outcome> {
  const { accounts, requests } = sizes[scale];
  const document = await documentOf(program);
  return atSite(program, [], async (site) => {
    const theirs = await furnish(site, site.first, "them", accounts);
    const [own] = await furnish(site, site.second, "mine", 2);
    if (!own) throw new Error("nothing was made");
    const all = askings(document, own);
    checkThatAllAreAsked(document, all);
    // The first cursor stores the key of all cursors.
    await sendAs(site, { method: "GET", path: "/api/v1/accounts?cursor=" });
    await settled(site.database);
    const day = new Date().getUTCDate();
    const before = hashOf(site.database);
    const faults: string[] = [];
    let count = 0;
    while (count < requests * all.length && faults.length < 20) {
      if (count % 10_000 === 0) printLine(`${count} requests`);
      // Each place in turn, so that every one is tested.
      const asking = all[(count / 2) % all.length] ?? new Random(0).of(all);
      const fault = await difference(site, asking, new Random(scramble(count)).of(theirs), count);
      if (fault !== undefined) faults.push(fault);
      count += 2;
    }
    // Scores depend on the day.
    if (hashOf(site.database) !== before && new Date().getUTCDate() === day)
      faults.push("the database is not what it was");
    faults.push(...(await faultsOfFeed(site, theirs, own)));
    const taken = await take(site, theirs, own, faults);
    return { tried: { requests: count, places: all.length, takings: taken }, faults };
  });
}

function checkThatAllAreAsked(
  { promptOperations: operations }: Document,
  all: readonly RequestWithIds[],
): void {
  const names = operations
    .filter(({ isPublic }) => !isPublic)
    .filter((operation) => !all.some((one) => one.operation === operation))
    .map(({ method, path }) => `${method} ${path}`);
  const missed = names.filter((name) => !nameless.includes(name) && !creating.includes(name));
  if (missed.length > 0) throw new Error(`nothing was asked of ${missed}`);
}

/** The difference between the reply for data of another organization and for data that does not exist, or undefined. */
async function difference(site: Site, { operation, place, build }: RequestWithIds, them: Ids, n: number) {
  const send = (ids: Ids) => sendAs(site, build(ids, new Random(scramble(n))));
  const names = [them, nobody(n)] as const;
  // The order is random, so that effects of the first request do not hide a difference.
  const isSwapped = scramble(n + 1) % 2 === 0;
  const second = isSwapped ? await send(names[1]) : undefined;
  const foreign = await send(names[0]);
  const absent = second ?? (await send(names[1]));
  const name = `${operation.method} ${operation.path} at ${place}`;
  if (foreign.status >= 500) return `${name}: ${textOf(foreign)}`;
  const hasLinks = [foreign, absent].every(({ head }) => /\r\nlink:/i.test(head));
  if (bytesOf(foreign, hasLinks) === bytesOf(absent, hasLinks)) return undefined;
  const sent = (answer: Reply) => (foreign.body.equals(absent.body) ? bytesOf(answer) : textOf(answer));
  return `${name}: ${sent(foreign)} and not ${sent(absent)}`;
}

/** All requests have the same request id, so that replies may differ only in their time. */
function sendAs({ client, second }: Site, sent: Sent): Promise<Reply> {
  return client.send(sentWith(second, { ...sent, headers: { "x-request-id": "same" } }));
}

/**
 * The links to other pages repeat the query: its id, and timestamps near the present, which differ. A Link that would be
 * too long is left out, so that a long query is compared without.
 */
const sentInLink = /([?&](?!page=|cursor=)[^=&>]+)=[^&>]*/g;

function bytesOf({ head, body }: Reply, hasLinks = true): string {
  const sameHead = head
    .replace(/\r\ndate:[^\r]*/i, "")
    .replace(/\r\nlink:[^\r]*/i, (link) => (hasLinks ? link.replace(sentInLink, "$1=") : ""));
  return `${sameHead}\n${body.toString("latin1")}`;
}

/** The caller's change log, with each filter, a history and lists must not have data of other organizations. */
async function faultsOfFeed(site: Site, theirs: readonly Ids[], own: Ids): Promise<string[]> {
  const filters = [
    "",
    "?after=1",
    "?resource=contact",
    "?action=created",
    "?resource=request&action=created",
  ];
  const lists = ["keys", "contacts", "meetings"].map((list) => `/api/v1/${list}?pageSize=100`);
  const more = [`/api/v1/accounts/${own.accountId}/history`, ...lists];
  const faults: string[] = [];
  for (const path of [...filters.map((filter) => `/api/v1/changes${filter}`), ...more]) {
    const answer = await sendAs(site, { method: "GET", path });
    const { data } = JSON.parse(answer.body.toString()) as { data?: { accountId: number }[] };
    if (answer.status !== 200 || !data?.length) return [`${path} is answered ${textOf(answer)}`];
    const text = JSON.stringify(data);
    for (const { externalId, accountId } of theirs)
      if (text.includes(externalId) || data.some((one) => one.accountId === accountId))
        faults.push(`${path} has ${externalId}`);
  }
  return faults;
}

/** Uses the ids of others for the caller's own rows. The replies must equal those for new ids, and other rows stay. */
async function take(site: Site, theirs: readonly Ids[], own: Ids, faults: string[]): Promise<number> {
  const rows = () => hashOf(site.database, organizationOfSecond);
  const before = rows();
  let count = 0;
  for (const [i, them] of theirs.slice(0, 10).entries()) {
    const none = nobody(i);
    for (const taking of takings(own)) {
      const foreign = plain(await sendAs(site, taking(them)), them);
      const absent = plain(await sendAs(site, taking(none)), none);
      if (foreign !== absent)
        faults.push(`${taking(them).method} ${taking(them).path}: ${foreign} and not ${absent}`);
      count += 2;
    }
  }
  if (rows() !== before) faults.push("what they have is not what it was");
  return count;
}

const organizationOfSecond = 2;

/** Status and body, with ids, names and timestamps normalized, which must differ between two rows. */
function plain({ status, body }: Reply, { externalId }: Ids): string {
  const text = body
    .toString()
    .replaceAll(externalId, "NAME")
    .replace(/"(id|accountId)":\d+/g, '"$1":0')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, "MOMENT");
  return `${status} ${text}`;
}

export const foreignIds: Proof = {
  name: "foreign-ids",
  claim: "What another organization has cannot be told from what nobody has, nor changed, at any route",
  run,
  controls: [readsEveryOrganization, feedOfEveryOrganization, recordsRefusals],
};
