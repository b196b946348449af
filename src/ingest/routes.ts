import type { TenantTransaction } from "../core/tenant/transaction.ts";
import { maxBodyDepth as maxDepth } from "../events/input.ts";
import { ReceiptReply } from "../events/model.ts";
import { outcomes } from "../events/routes.ts";
import { type EventReceipt, receiveEvents } from "../events/store.ts";
import { deriveParsedBody, type ParsedBody, readUnvalidatedJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { type About, detailOf } from "../http/guard/required-scope.ts";
import { countRows } from "../http/resource/count-rows.ts";
import { ok, type WriteContext, write } from "../http/resource/write.ts";
import { WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { type ReceivedCalls, readSegmentBatch, readSegmentCall } from "./input.ts";
import { inputOf } from "./members.ts";
import { SegmentBody, SegmentCallBody } from "./model.ts";
import { storeTraits, type TraitsReceipt } from "./traits.ts";

type IngestContext = WriteContext & { parsedBody: ParsedBody };

const response = writeReplies({ 200: ReceiptReply }, [], 400, 401, 413, 415, 500, 503);
/** SDKs send these calls, so servers of tools for agents that are made from the document leave them out. */
const describe = (...about: About) => ({ ...detailOf("Segment", "events")(...about), "x-mcp": false });
const parse = readUnvalidatedJson({ maxDepth, isOfTools: true });

async function store(context: WriteContext, { candidates, traitsCalls }: ReceivedCalls) {
  const run = async (tx: TenantTransaction) => {
    // Before the events: the events of a new account are not pending.
    const stored = await storeTraits(tx, traitsCalls);
    const receipt = await receiveEvents(tx, candidates);
    return ok(stored ? addTraits(receipt, stored) : receipt);
  };
  return write(context, run, { rowCount: countRows(traitsCalls.map(({ members }) => inputOf(members))) });
}

/** Adds the receipt of traits to the receipt of events. A call that is a duplicate or pending is not ignored. */
function addTraits(receipt: EventReceipt, { traits, parked, duplicates, items }: TraitsReceipt) {
  return {
    ...receipt,
    parked: receipt.parked + parked,
    duplicates: receipt.duplicates + duplicates,
    ignored: receipt.ignored - parked - duplicates,
    traits,
    items: [...receipt.items, ...items].sort((a, b) => a.index - b.index),
  };
}

async function receiveBatch({ tenant, set, query, idempotency, parsedBody }: IngestContext) {
  return store({ tenant, set, query, idempotency }, await readSegmentBatch(parsedBody, tenant.now));
}

function receiveCall(type: string) {
  return async ({ tenant, set, query, idempotency, parsedBody }: IngestContext) =>
    store({ tenant, set, query, idempotency }, await readSegmentCall(parsedBody, tenant.now, type));
}

/** The schema of an operation that takes a list of calls. */
function batchOf(operationId: string, sender: string) {
  const description = `The endpoint of ${sender}: configure this server as its host and an API key as its write key. A \`track\` call is an event of the account whose \`externalId\` is the call's group. The traits of \`group\` and \`identify\` calls are stored when the organization has traits on, for each field the newest; every other call is ignored. ${outcomes}`;
  const summary = `Send a Segment batch of ${sender}`;
  const detail = describe(operationId, summary, description);
  return { parse, query: WriteQuery, body: SegmentBody, response, detail };
}

function callOf(operationId: string, type: string) {
  const effects: Record<string, string> = {
    track: "An event of the account whose `externalId` is the call's group.",
    identify:
      "Its traits are stored as a contact when the organization has traits on. Without a known account they are pending.",
    group:
      "Its traits are stored as an account when the organization has traits on. Its `userId` becomes a contact of the account once it is identified.",
  };
  const description = `One call of Segment's SDKs. ${effects[type] ?? "Ignored."} The response has the outcome.`;
  const summary = `Send one Segment call: ${type}`;
  const detail = describe(operationId, summary, description);
  return { parse, query: WriteQuery, body: SegmentCallBody, response, detail };
}

/** The paths of Segment's and RudderStack's SDKs for servers. */
export const ingestRoutes = tenantRoutes("/v1")
  .derive(deriveParsedBody)
  .post("/batch", receiveBatch, batchOf("sendSegmentBatch", "SDKs for servers"))
  .post("/import", receiveBatch, batchOf("importSegmentBatch", "imports"))
  .post("/track", receiveCall("track"), callOf("sendTrackCall", "track"))
  .post("/identify", receiveCall("identify"), callOf("sendIdentifyCall", "identify"))
  .post("/group", receiveCall("group"), callOf("sendGroupCall", "group"))
  .post("/page", receiveCall("page"), callOf("sendPageCall", "page"))
  .post("/alias", receiveCall("alias"), callOf("sendAliasCall", "alias"))
  .post("/screen", receiveCall("screen"), callOf("sendScreenCall", "screen"));

/** The routes of `ingestRoutes` under the short paths of Analytics.js in browsers. */
export const browserRoutes = tenantRoutes("/v1")
  .derive(deriveParsedBody)
  .post("/b", receiveBatch, batchOf("sendBrowserBatch", "Analytics.js"))
  .post("/t", receiveCall("track"), callOf("sendBrowserTrackCall", "track"))
  .post("/i", receiveCall("identify"), callOf("sendBrowserIdentifyCall", "identify"))
  .post("/g", receiveCall("group"), callOf("sendBrowserGroupCall", "group"))
  .post("/p", receiveCall("page"), callOf("sendBrowserPageCall", "page"))
  .post("/a", receiveCall("alias"), callOf("sendBrowserAliasCall", "alias"))
  .post("/s", receiveCall("screen"), callOf("sendBrowserScreenCall", "screen"));
