import fc from "fast-check";
import { askOne, type Command, command, type Tally, textOf } from "./model-commands.ts";
import { ordered, positionOf } from "./model-listing.ts";
import { list as anyList } from "./model-lists.ts";
import { anyRequest } from "./model-requests.ts";
import type { Asked } from "./model-rules.ts";
import type { Service } from "./model-service.ts";
import type { Answer, Model } from "./model-state.ts";

const listedRows = ["a", "b", "A"].map((externalId, i) => ({
  externalId,
  name: "Acme",
  mrr: 10 * i,
  contacts: [{ externalId, name: "Ada" }],
  meetings: [{ externalId, title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" }],
  requests: [{ externalId, title: "Export", severity: 1 + i }],
}));

/** Stores some rows, and reads a list to its end by cursors, with a request between two pages. */
async function walk(
  { list, between, tally }: { list: Asked; between: readonly Asked[]; tally: Tally },
  model: Model,
  service: Service,
): Promise<void> {
  const { org } = list;
  const stored: Asked = { org, op: "upsert", kind: "accounts", query: {}, body: { accounts: listedRows } };
  await askOne(model, service, service.sent(stored), tally);
  const first = service.sent(list);
  const before = textsOf(model, first);
  const seen: number[] = [];
  let asked: Asked | undefined = first;
  for (let page = 0; asked; page += 1) {
    const answer: Answer = await askOne(model, service, asked, tally);
    if (answer.status !== 200) return;
    tally["pages by cursor"] += 1;
    // Safe: the data of a list.
    const ids = (answer.data as { id: number }[]).map(({ id }) => id);
    seen.push(...ids);
    const { cursor } = service;
    const last = ordered(model.of(asked.org, asked.kind), asked).find(({ id }) => id === ids.at(-1));
    if (cursor === undefined || !last) break;
    await refuseOthers(service, first, cursor);
    const after = positionOf(last, first);
    asked = { ...first, query: { ...first.query, cursor }, after };
    const next = between[page];
    if (next) await askOne(model, service, service.sent(next), tally);
  }
  const unchanged = textsOf(model, first).filter((text) => before.includes(text));
  const times = unchanged.map((text) => seen.filter((id) => id === (JSON.parse(text) as { id: number }).id));
  if (times.some(({ length }) => length !== 1))
    throw new Error(`${textOf(list)} has rows ${seen}, and these did not change: ${unchanged}`);
}

function textsOf(model: Model, asked: Asked): string[] {
  return ordered(model.of(asked.org, asked.kind), asked).map((row) => JSON.stringify(row));
}

/** A cursor with a page, of another order or of another organization is rejected. */
async function refuseOthers(service: Service, { after: _, ...first }: Asked, cursor: string): Promise<void> {
  const { query, org } = first;
  const sortOrder = query.sortOrder === "desc" ? "asc" : "desc";
  const others: Asked[] = [
    { ...first, query: { ...query, cursor, page: "1" } },
    { ...first, query: { ...query, cursor, search: `${query.search ?? ""}e` } },
    { ...first, query: { ...query, cursor, sortOrder } },
    ...(first.id === undefined ? [{ ...first, org: 1 - org, query: { ...query, cursor } }] : []),
  ];
  for (const other of others) {
    const { status, code } = await service.ask(other);
    if (status !== 400 || code !== "invalid_cursor")
      throw new Error(`${textOf(other)} with the cursor of ${textOf(first)} is answered ${status} ${code}`);
  }
}

const unfiltered = ["sortBy", "sortOrder"];

/** Walks through lists in pages of one or two rows, most of them without filters. */
export function walks(tally: Tally): fc.Arbitrary<Command> {
  const pageSize = fc.constantFrom("1", "2");
  const between = fc.array(anyRequest, { maxLength: 5 });
  const isFiltered = fc.boolean();
  return fc.tuple(anyList, isFiltered, pageSize, between).map(([asked, filtered, size, some]) => {
    const { page: _, ...query } = asked.query;
    const kept = Object.entries(query).filter(([name]) => filtered || unfiltered.includes(name));
    const byCursor = { ...Object.fromEntries(kept), pageSize: size, cursor: "" };
    const plan = { list: { ...asked, query: byCursor }, between: some, tally };
    const text = `walk ${textOf(plan.list)} between: ${some.map(textOf).join(" | ")}`;
    return command(text, (model, service) => walk(plan, model, service));
  });
}
