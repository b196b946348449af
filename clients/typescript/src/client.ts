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
  type ListArguments,
  type ListInit,
  type ListPath,
  type Row,
  readChanges,
  readList,
} from "./lists.ts";
import { type ClientOptions, createMethods } from "./methods.ts";

export { type Problem, ProblemError } from "./problem.ts";
export type { components, operations, paths } from "./schema.ts";
export type {
  AccountResult,
  AccountUpsert,
  Change,
  ChangesInit,
  ClientOptions,
  EventReceipt,
  ListInit,
  ListPath,
  Row,
  UsageEvent,
};

/** Requests to one server with one API key. */
export type Client = ReturnType<typeof createClient>;

/**
 * A client of a server. `GET`, `POST`, `PUT`, `PATCH` and `DELETE` send one request of any operation; the other functions
 * send as many as are necessary. All of them repeat requests whose reply was lost, and throw `ProblemError`.
 */
export function createClient(options: ClientOptions) {
  const methods = createMethods(options);
  return {
    ...methods,
    /** See `readList`. */
    list: <Path extends ListPath>(path: Path, ...init: ListArguments<Path>) =>
      readList(methods, path, ...init),
    /** See `readChanges`. */
    changes: (init?: ChangesInit) => readChanges(methods, init),
    /** See `upsertAccounts`. */
    upsertAccounts: (accounts: Iterable<AccountUpsert> | AsyncIterable<AccountUpsert>) =>
      upsertAccounts(methods, accounts),
    /** See `sendEvents`. */
    sendEvents: (events: Iterable<UsageEvent> | AsyncIterable<UsageEvent>) => sendEvents(methods, events),
  };
}
