import { attempted } from "./model-batches.ts";
import { absentMembers, type Body, fold, invalid, type Kind, prefixed, type Row } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";
import type { Model } from "./model-state.ts";

const lists = ["contacts", "meetings", "requests"] as const;

/** The data of the reply to an upsert of accounts with their sub-resources. */
export function upsert(model: Model, { org, body }: Asked): Body {
  const results = (body.accounts as Body[]).map((item, i) => {
    const answer = attempted(model, `/accounts/${i}`, (trial) => {
      return { status: 200, data: upsertAccount(trial, org, item) };
    });
    // Safe: the data of `upsertAccount`.
    return answer.status === 200 ? (answer.data as Body) : { result: "failed", problem: answer };
  });
  const count = (result: string) => results.filter((one) => one.result === result).length;
  const [created, updated, unchanged] = [count("created"), count("updated"), count("unchanged")];
  return { results, created, updated, unchanged, failed: count("failed") };
}

function upsertAccount(model: Model, org: number, { contacts, meetings, requests, ...members }: Body): Body {
  const before = model.log.length;
  const existing = findNamed(model, org, "accounts", members.externalId);
  const { id } = store(model, org, "accounts", existing, members);
  for (const [kind, items] of Object.entries({ contacts, meetings, requests }))
    for (const [i, item] of ((items ?? []) as Body[]).entries()) {
      // Safe: the names of the lists.
      const of = kind as (typeof lists)[number];
      const row = findNamed(model, org, of, item.externalId) ?? findByEmail(model, org, id, item);
      prefixed(`/${kind}/${i}`, () => store(model, org, of, row, { ...item, accountId: id }));
    }
  const isChanged = model.log.length > before;
  const result = isChanged ? "updated" : "unchanged";
  return { result: existing ? result : "created", id };
}

function store(model: Model, org: number, kind: Kind, existing: Row | undefined, given: Body): Row {
  if (existing) return model.update(existing, given);
  const absent = absentMembers(kind, given);
  if (absent.length > 0) throw invalid(...absent.map((name) => `/${name} required`));
  return model.add(org, kind, given);
}

function findNamed(model: Model, org: number, kind: Kind, externalId: unknown): Row | undefined {
  return model.of(org, kind).find((row) => externalId !== undefined && row.externalId === externalId);
}

/** The contact of the account with the address. With an external id, only one that has none. */
function findByEmail(model: Model, org: number, accountId: number, item: Body): Row | undefined {
  if (!item.email) return undefined;
  return model
    .of(org, "contacts")
    .find(
      (row) =>
        row.accountId === accountId &&
        fold(row.email) === fold(item.email) &&
        (item.externalId === undefined || row.externalId === null),
    );
}
