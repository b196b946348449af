import { attributedKinds } from "./model-attributes.ts";
import { attempted, batchFailed } from "./model-batches.ts";
import { nouns } from "./model-log.ts";
import { invalid, type Kind, kinds, Refusal } from "./model-rows.ts";
import { type Asked, notIn, parametersOf, refuseBody } from "./model-rules.ts";
import type { Answer, Model } from "./model-state.ts";
import { accountStatuses, requestStatuses } from "./model-values.ts";

/** Throws the reply of a rejection that does not depend on stored rows or on the time. */
export function refuse(asked: Asked): void {
  const { op, kind, query, ifMatch, ifNoneMatch } = asked;
  const parameters = parametersOf(asked);
  if (Object.keys(query).some((name) => !parameters.includes(name)))
    throw new Refusal(400, "unknown_parameter");
  if (op === "list" || op === "unmatched" || op === "history") refuseQuery(kind, query);
  if (op === "changes") refuseFeed(query);
  refuseBody(asked);
  if (op === "erase" && asked.body.email === undefined && asked.body.userId === undefined)
    throw invalid("/email required");
  if (asked.isAtomic) refuseInvalid(asked.operations ?? []);
  if (ifMatch !== undefined && !/^(?:\*|(?:W\/)?"[^"]*"(?:, (?:W\/)?"[^"]*")*)$/.test(ifMatch))
    throw invalid("If-Match not_allowed");
  if (ifNoneMatch !== undefined && ifNoneMatch !== "*") throw invalid("If-None-Match not_allowed");
}

/** An atomic batch with an invalid operation runs none. */
function refuseInvalid(operations: readonly Asked[]): void {
  const results = operations.map((operation, i) =>
    attempted(noModel, `/operations/${i}/body`, () => {
      refuseBody(operation);
      return { status: 200 };
    }),
  );
  if (results.some(({ status }) => status >= 400)) throw batchFailed(results);
}

const noModel = { attempt: (run: () => Answer) => run() } as unknown as Model;

function refuseFeed({ limit = "1", resource, action }: Record<string, string>): void {
  const actions = ["created", "updated", "deleted", "health_changed"];
  const errors = [
    (Number(limit) < 1 || Number(limit) > 1_000) && "limit out_of_range",
    resource !== undefined && notIn(Object.values(nouns), resource) && "resource not_allowed",
    action !== undefined && notIn(actions, action) && "action not_allowed",
  ].filter((error) => typeof error === "string");
  if (errors.length > 0) throw invalid(...errors);
}

function refuseQuery(
  kind: Kind,
  { page = "1", pageSize = "1", sortBy, status }: Record<string, string>,
): void {
  const isAttribute = attributedKinds.includes(kind) && sortBy?.startsWith("attributes.");
  const statuses = kind === "accounts" ? [...accountStatuses, "inactive"] : requestStatuses;
  const errors = [
    /^\d+$/.test(page) ? Number(page) < 1 && "page out_of_range" : "page wrong_type",
    Number(pageSize) > 100 && "pageSize out_of_range",
    sortBy !== undefined && !isAttribute && notIn(kinds[kind].sortBy, sortBy) && "sortBy not_allowed",
    status?.split(",").some((one) => notIn(statuses, one)) && "status not_allowed",
  ].filter((error) => typeof error === "string");
  if (errors.length > 0) throw invalid(...errors);
}
