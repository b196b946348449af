import { batch } from "./model-batches.ts";
import { listed } from "./model-listing.ts";
import { shownEntry } from "./model-log.ts";
import { absentMembers, type Body, invalid, Refusal, type Row } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import { shownTo, type View } from "./model-shown.ts";
import type { Answer, Model } from "./model-state.ts";
import { upsert } from "./model-upsert.ts";
import { accountOf } from "./model-usage.ts";

/** The reply to a valid request; a write changes the model. Throws the reply of a rejection. */
export function replyTo(model: Model, asked: Asked): Answer {
  const { op, org, kind, id, body } = asked;
  const { usage, now } = model;
  const accounts = model.of(org, "accounts");
  const account = () => oneOf(accounts, id);
  if (op === "list") return { status: 200, ...list(model, asked) };
  if (op === "put") return put(model, asked);
  if (op === "batch") return { status: 200, data: batch(model, asked) };
  if (op === "upsert") return { status: 200, data: upsert(model, asked) };
  if (op === "events") return { status: 200, data: usage.receive(asked, now, accounts) };
  if (op === "unmatched") return { status: 200, ...usage.unmatched(asked, now) };
  if (op === "usage") return { status: 200, ...usage.days(account().id, now) };
  if (op === "changes") return { status: 200, data: changes(model, asked) };
  if (op === "history") return { status: 200, data: history(model, account()) };
  if (op === "create") {
    const ofAccount = kind === "accounts" ? {} : { accountId: account().id };
    return rowReply(model, [201, "created", model.add(org, kind, { ...body, ...ofAccount })]);
  }
  if (op === "patch" && Object.keys(body).length === 0) throw new Refusal(400, "no_valid_fields");
  const row = asked.externalId === undefined ? oneOf(model.of(org, kind), id) : named(model, asked);
  if (!row) throw new Refusal(404, "not_found");
  if (op === "patch") return rowReply(model, [200, "changed", model.update(row, body)]);
  if (op === "get") return rowReply(model, [200, "got", row]);
  model.remove(row);
  return { status: 204 };
}

/** The row of a request's path. */
export function target(model: Model, asked: Asked): Row | undefined {
  const { org, kind, id, externalId } = asked;
  if (externalId !== undefined) return named(model, asked);
  return model.of(org, kind).find((row) => row.id === id);
}

function rowReply(model: Model, [status, how, row]: [number, View, Row]): Answer {
  return { status, data: shownTo(row, how, model), version: model.versionOf(row) };
}

function oneOf(rows: readonly Row[], id: number | undefined): Row {
  const row = rows.find((one) => one.id === id);
  if (!row) throw new Refusal(404, "not_found");
  return row;
}

function named(model: Model, { org, kind, externalId }: Asked): Row | undefined {
  return model.of(org, kind).find((row) => row.externalId === externalId);
}

function list(model: Model, asked: Asked): Partial<Answer> {
  const { org, kind, id } = asked;
  if (kind !== "accounts" && id !== undefined) oneOf(model.of(org, "accounts"), id);
  return listed(model.of(org, kind), asked, (row) => shownTo(row, "listed", model));
}

function put(model: Model, asked: Asked): Answer {
  const { org, kind, externalId } = asked;
  const { accountId, accountExternalId, ...given } = asked.body;
  const isNamed = accountId !== undefined || accountExternalId !== undefined;
  const account = accountOf(model.of(org, "accounts"), accountId, accountExternalId);
  if (isNamed && !account) throw new Refusal(404, "not_found");
  const whole = { ...given, externalId, ...(account && { accountId: account.id }) };
  const row = named(model, asked);
  if (row) {
    return rowReply(model, [200, "changed", model.update(row, whole)]);
  }
  const absent = absentMembers(kind, given);
  if (kind !== "accounts" && !account) absent.push("accountId");
  if (absent.length > 0) throw invalid(...absent.map((name) => `/${name} required`));
  return rowReply(model, [201, "changed", model.add(org, kind, whole)]);
}

function changes({ log }: Model, { org, query: { resource, action } }: Asked): Body[] {
  return log
    .filter((entry) => {
      const [noun, verb] = entry.type.split(".");
      // The deletion of an account deletes its rows.
      const hasRows = resource !== "account" && entry.type === "account.deleted";
      return entry.org === org && ((resource ?? noun) === noun || hasRows) && (action ?? verb) === verb;
    })
    .map(shownEntry);
}

function history({ log }: Model, { id }: Row): Body[] {
  return log
    .filter(({ accountId, before }) => accountId === id || before?.accountId === id)
    .map(shownEntry)
    .toReversed();
}
