import {
  type AccountResult,
  type AccountUpsert,
  type EventReceipt,
  sendEvents,
  type UsageEvent,
  upsertAccounts,
} from "./batches.ts";
import {
  type Change,
  type ChangesInit,
  type FollowInit,
  followChanges,
  type ListArguments,
  type ListInit,
  type ListPath,
  type Row,
  readChanges,
  readList,
} from "./lists.ts";
import { type ClientOptions, createMethods } from "./methods.ts";
import { createRequests } from "./requests.ts";
import { createResources } from "./resources.ts";
import { type StreamInit, streamChanges } from "./stream.ts";

export { type Problem, ProblemError } from "./problem.ts";
export type { components, operations, paths } from "./schema.ts";
export {
  verifyWebhook,
  type WebhookRequest,
  type WebhookTest,
  WebhookVerificationError,
} from "./webhooks.ts";
export type {
  AccountResult,
  AccountUpsert,
  Change,
  ChangesInit,
  ClientOptions,
  EventReceipt,
  FollowInit,
  ListInit,
  ListPath,
  Row,
  StreamInit,
  UsageEvent,
};

/** Requests to one server with one API key. */
export type Client = ReturnType<typeof createClient>;

/**
 * A client of a server: `client.accounts.create({ name: "Acme" })`. Each operation has a function that returns the data of
 * the reply. `GET`, `POST`, `PUT`, `PATCH` and `DELETE` send one request of any operation by its path and return the reply
 * as well. All of them repeat requests whose reply was lost, and throw `ProblemError`.
 */
export function createClient(options: ClientOptions) {
  const methods = createMethods(options);
  return {
    ...methods,
    ...createResources(createRequests(methods)),
    /** See `readList`. */
    list: <Path extends ListPath>(path: Path, ...init: ListArguments<Path>) =>
      readList(methods, path, ...init),
    /** See `readChanges`, `followChanges` and `streamChanges`. */
    changes: Object.assign((init?: ChangesInit) => readChanges(methods, init), {
      follow: (init?: FollowInit) => followChanges(methods, init),
      stream: (init?: StreamInit) => streamChanges(methods, init),
    }),
    /** See `upsertAccounts`. */
    upsertAccounts: (accounts: Iterable<AccountUpsert> | AsyncIterable<AccountUpsert>) =>
      upsertAccounts(methods, accounts),
    /** See `sendEvents`. */
    sendEvents: (events: Iterable<UsageEvent> | AsyncIterable<UsageEvent>) => sendEvents(methods, events),
  };
}
