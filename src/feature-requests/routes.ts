import { replies } from "../http/replies.ts";
import { childRoutes } from "../http/resource-routes.ts";
import { pageOf } from "../http/shapes.ts";
import {
  AllRequestsQuery,
  NewRequestBody,
  RequestChangesBody,
  RequestListQuery,
  RequestPutBody,
} from "./input.ts";
import { presentRequest, Request, RequestPage } from "./model.ts";
import { listRequests, requestStore } from "./store.ts";

/** What accounts asked for. */
export const requestRoutes = childRoutes({
  plural: "requests",
  noun: "request",
  title: "Request",
  shape: Request,
  page: RequestPage,
  query: RequestListQuery,
  newBody: NewRequestBody,
  changesBody: RequestChangesBody,
  putBody: RequestPutBody,
  present: presentRequest,
  list: listRequests,
  store: requestStore,
}).get(
  "/requests",
  async ({ tenant, query }) => {
    const accountId = query.accountId === undefined ? undefined : Number(query.accountId);
    const { rows, pagination } = await listRequests(tenant, { ...query, ...pageOf(query), accountId });
    return { data: rows.map(presentRequest), pagination };
  },
  {
    query: AllRequestsQuery,
    response: replies({ 200: RequestPage }, 400, 401, 500, 503),
    detail: {
      tags: ["Requests"],
      operationId: "listRequests",
      summary: "List requests",
      description:
        "A page of the requests of the whole organization, or of one account. All given filters must hold; for an account that is not there the page is empty. Every order ends in `id`, so pages never overlap.",
    },
  },
);
