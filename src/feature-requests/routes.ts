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
import { FeatureRequest, FeatureRequestPage, presentFeatureRequest } from "./model.ts";
import { featureRequestStore, listFeatureRequests } from "./store.ts";

/** What accounts asked for. */
export const featureRequestRoutes = childRoutes({
  plural: "requests",
  noun: "request",
  title: "Request",
  shape: FeatureRequest,
  page: FeatureRequestPage,
  query: RequestListQuery,
  newBody: NewRequestBody,
  changesBody: RequestChangesBody,
  putBody: RequestPutBody,
  present: presentFeatureRequest,
  list: listFeatureRequests,
  store: featureRequestStore,
}).get(
  "/requests",
  async ({ tenant, query }) => {
    const accountId = query.accountId === undefined ? undefined : Number(query.accountId);
    const { rows, pagination } = await listFeatureRequests(tenant, { ...query, ...pageOf(query), accountId });
    return { data: rows.map(presentFeatureRequest), pagination };
  },
  {
    query: AllRequestsQuery,
    response: replies({ 200: FeatureRequestPage }, 400, 401, 500, 503),
    detail: {
      tags: ["Requests"],
      operationId: "listRequests",
      summary: "List requests",
      description:
        "A page of the requests of the whole organization, or of one account. All given filters must hold; for an account that is not there the page is empty. Every order ends in `id`, so pages never overlap.",
    },
  },
);
