import { newSecret } from "../../src/api-keys/secret.ts";
import type { Outcome, PrintLine, Program, Proof, Scale } from "../support/proof.ts";
import { Random } from "../support/random.ts";
import { type Answer, Client, headerOf, type Sent } from "./client.ts";
import { anyHost, anyKey, showsStack } from "./controls/refusals.ts";
import { type Document, documentOf } from "./document.ts";
import { furnish, type Ids } from "./foreign-site.ts";
import { oddHosts, soundHosts } from "./hosts.ts";
import { runInLanes } from "./lanes.ts";
import { faultsOfProblem } from "./probes.ts";
import { type Row, refusals, sound } from "./refusal-table.ts";
import { atSite, textOf } from "./site.ts";

/** Many, because the service delays the rejection of a large body by a second. */
const connections = 24;
/** Generated Host headers, in addition to those of the lists. */
const madeUp = { short: 100, long: 2_000 };

async function run(
  program: Program,
  scale: Scale,
  printLine: PrintLine,
  { endsAtFault } = { endsAtFault: false },
): Promise<Outcome> {
  const document = await documentOf(program);
  return atSite(program, [], async (site) => {
    const [own] = await furnish(site, site.first, "mine", 1);
    if (!own) throw new Error("nothing was made");
    const faults: string[] = [];
    const isOver = () => endsAtFault && faults.length > 0;
    const rows = refusals(document, own);
    let tried = 0;
    const clients = Array.from({ length: connections }, () => new Client(site.port));
    try {
      await runInLanes(clients, rows, async (client, row) => {
        if (isOver()) return;
        faults.push(...(await judge(client, document, site.first, row)));
        tried += 1;
      });
    } finally {
      for (const client of clients) client.close();
    }
    if (isOver()) return { tried: { probes: tried }, faults };
    printLine(`${rows.length} probes`);
    const hosts = await tryHosts(site.client, document, own, site.first, madeUp[scale], faults, isOver);
    if (!site.server.isRunning()) faults.push("the service ended");
    if (/"level":"error"/.test(site.server.stderr()))
      faults.push(`logged ${site.server.stderr().slice(0, 500)}`);
    return { tried: { probes: rows.length, "requests to hosts": hosts }, faults };
  });
}

/** The differences between the reply and the row. */
async function judge(client: Client, document: Document, key: string, row: Row): Promise<string[]> {
  const sent = sentOf(row, key);
  const reply = await client.send(sent);
  const { status } = reply;
  const found: string[] = [];
  if (status !== row.status) found.push(`${status}, not ${row.status}`);
  const shape = row.operation && row.method === row.operation.method;
  const fault = shape && row.operation ? document.faultOf(row.operation, sent, reply) : undefined;
  if (fault !== undefined) found.push(`the document ${fault}`);
  if (status >= 400) found.push(...faultsOfProblem(row, replyOf(reply)));
  return found.map((what) => `${row.title}: ${what}: ${textOf(reply)}`);
}

function sentOf({ method = "GET", path = "", body, headers = {}, key }: Row, ownKey: string): Sent {
  const secret = key === undefined ? ownKey : key;
  const kind = body !== undefined && { "content-type": "application/json" };
  const all = { ...(secret !== null && { "x-api-key": secret }), ...kind, ...headers };
  const given = Object.entries(all).filter((one): one is [string, string] => typeof one[1] === "string");
  if (typeof body === "function") throw new Error("a body must be whole");
  return { method, path, headers: Object.fromEntries(given), body };
}

function replyOf(reply: Answer) {
  const text = reply.body.toString();
  const lines = reply.head.split("\r\n").slice(1);
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const [name = "", ...value] = line.split(":");
      return [name, value.join(":").trim()];
    }),
  );
  const isProblem = headerOf(reply, "content-type") === "application/problem+json";
  return { status: reply.status, headers, text, body: isProblem ? JSON.parse(text) : {} };
}

/** Every Host at every route: a valid one has no effect, any other is rejected, and none replaces the key. */
async function tryHosts(
  client: Client,
  document: Document,
  own: Ids,
  key: string,
  more: number,
  faults: string[],
  isOver: () => boolean,
): Promise<number> {
  const routes = [
    ...document.operations.map((operation) => ({
      ...sound(document, operation, own),
      isOpen: operation.isPublic,
    })),
    ...["/docs", "/docs/json", "/console", "/console/session"].map((path) => ({
      title: `GET ${path}`,
      path,
      isOpen: true,
      method: "GET",
    })),
  ].flatMap((route) => (route.method === "GET" ? [route, { ...route, method: "HEAD" }] : [route]));
  let count = 0;
  const send = async (route: (typeof routes)[number], host: string, secret: string | null) => {
    count++;
    const row = { ...route, status: 0, key: secret, headers: { host } };
    return client.send(sentOf(row, key));
  };
  const expect = (route: (typeof routes)[number], host: string, reply: Answer, status: number) => {
    if (reply.status !== status)
      faults.push(`${route.title} with Host ${host.slice(0, 40)}: ${textOf(reply)}, not ${status}`);
  };
  for (const route of routes) {
    if (isOver()) return count;
    for (const host of soundHosts)
      for (const secret of [null, newSecret()])
        expect(route, host, await send(route, host, secret), route.isOpen ? 200 : 401);
    for (const host of oddHosts)
      for (const secret of [null, key]) expect(route, host, await send(route, host, secret), 400);
  }
  const random = new Random(more);
  const signs = [..."ax1.:/?#@\\[]%_- ;,*&=~", "livez", "docs", "localhost", "/../", "%2f", "\xff"];
  for (let i = 0; i < more; i++) {
    const host = Array.from({ length: 1 + random.below(6) }, () => random.of(signs)).join("");
    for (const route of routes.filter(({ isOpen }) => !isOpen)) {
      if (random.below(4) > 0) continue;
      const reply = await send(route, host, null);
      if (reply.status < 300) faults.push(`${route.title} with Host ${host} lets in: ${textOf(reply)}`);
    }
  }
  return count;
}

export const probes: Proof = {
  name: "probes",
  claim:
    "What is wrong is refused, at every operation with the exact status and problem, whatever the Host says",
  run,
  controls: [anyHost, anyKey, showsStack],
};
