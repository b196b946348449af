import type { Row, SelectFields } from "../../../db/statements.ts";
import type { Tenant } from "../tenant/tenant.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import type { ListDefinition } from "./definition.ts";
import { beginRead, type Page, readPage, readTotals, type StatementCaches, type Totals } from "./read.ts";
import { type ListRequest, type ParsedRequest, parseRequest } from "./request.ts";
import { cacheByShape } from "./statements.ts";

/** A validated request of a page, and where `read` has to run. `readTotals` needs a reader. */
type PageReader<R> = Pick<ParsedRequest, "place" | "isOneStatement"> & {
  read(snapshot: TenantSnapshot): Promise<Page<R>>;
  readTotals(snapshot: TenantSnapshot): Promise<Totals>;
};
/** A list as its route reads it. */
export type List<R, Sort extends string> = {
  definition: ListDefinition<SelectFields, Sort>;
  /** A request at a time, in milliseconds since 1970. Throws `invalid_request`. */
  request(query: ListRequest<Sort>, now: number): PageReader<R>;
  /**
   * Reads a page on its own snapshot. `findOwner` resolves with filters, for which the query has any value, and throws if
   * there is no such list.
   */
  readFor(
    tenant: Tenant,
    query: ListRequest<Sort>,
    findOwner?: (snapshot: TenantSnapshot) => Promise<Record<string, number>>,
  ): Promise<Page<R>>;
};

/** Defines a list. Its statements are built at the first use of each shape of a request. */
export function defineList<F extends SelectFields, Sort extends string>(
  definition: ListDefinition<F, Sort>,
): List<Row<F>, Sort> {
  const caches: StatementCaches = { pages: cacheByShape(), counts: cacheByShape(), totals: cacheByShape() };
  const list: List<Row<F>, Sort> = {
    definition,
    request(query, now) {
      const request = parseRequest(definition, query, now);
      const begin = (snapshot: TenantSnapshot) => beginRead(snapshot, definition, caches, request);
      return {
        place: request.place,
        isOneStatement: request.isOneStatement,
        // Safe: the rows have the fields of the definition.
        read: async (snapshot) => readPage(await begin(snapshot)) as Promise<Page<Row<F>>>,
        readTotals: async (snapshot) => readTotals(await begin(snapshot)),
      };
    },
    readFor(tenant, query, findOwner) {
      const { place, isOneStatement, read } = list.request(query, tenant.now);
      const hints = { place, isOneStatement: isOneStatement && !findOwner };
      return tenant.readList({ cursor: query.cursor, ...hints }, async (snapshot) =>
        findOwner
          ? list.request({ ...query, ...(await findOwner(snapshot)) }, tenant.now).read(snapshot)
          : read(snapshot),
      );
    },
  };
  return list;
}
