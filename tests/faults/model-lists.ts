import fc from "fast-check";
import { anyKind, asked, externalId, id, op } from "./model-asked.ts";
import { anyFilter } from "./model-filters.ts";
import type { Asked } from "./model-rules.ts";
import { accountStatuses, emails } from "./model-values.ts";

export const page = {
  page: fc.constantFrom("1", "1", "2", "3"),
  pageSize: fc.constantFrom("1", "2", "25", "100"),
};
export const sortOrder = fc.constantFrom("asc", "desc");
const search = fc.constantFrom("", "a", "STRASSE", "é", "%", "x", "clair");
/** Lists of rows of any kind, by page. */
export const list = anyKind.chain((kind) => {
  const orders = {
    accounts: ["name", "mrr", "attributes.plan", "attributes.seats"],
    contacts: ["name", "attributes.plan", "attributes.seats"],
    meetings: ["startAt", "endAt", "title"],
    requests: ["requestedAt", "severity", "title"],
  };
  const status = {
    accounts: [...accountStatuses, "inactive"],
    requests: ["Open", "Done"],
    contacts: [],
    meetings: [],
  }[kind];
  const query = fc.record(
    {
      ...page,
      sortOrder,
      search,
      externalId,
      sortBy: fc.constantFrom(...orders[kind], "createdAt", "updatedAt"),
      ...(status.length > 0 && { status: fc.constantFrom(...status) }),
      ...(kind === "contacts" && { email: fc.constantFrom(...emails) }),
    },
    { requiredKeys: [] },
  );
  const filtered = fc
    .tuple(fc.record(page, { requiredKeys: [] }), anyFilter(kind))
    .map(([paging, filter]) => ({ ...paging, ...filter }));
  const byCursor = query.map(({ page: _, ...rest }) => ({ ...rest, cursor: "" }));
  const given = fc.oneof(
    { weight: 3, arbitrary: byCursor },
    { weight: 14, arbitrary: query },
    { weight: 12, arbitrary: filtered },
  ) as fc.Arbitrary<Asked["query"]>;
  if (kind === "accounts") return asked({ op: op("list"), query: given });
  const ofOne = fc.tuple(given, id).map(([some, one]) => ({ ...some, accountId: String(one) }));
  return fc.oneof(
    asked({ op: op("list"), kind: fc.constant(kind), id, query: given }),
    asked({ op: op("list"), kind: fc.constant(kind), query: fc.oneof(given, ofOne) }),
  );
});
