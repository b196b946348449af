import { tenantRoutes } from "../http/guard.ts";
import { replies } from "../http/replies.ts";
import { createResourceHandlers } from "../http/resource-handlers.ts";
import { createResourceSchemas } from "../http/resource-schemas.ts";
import { pageOf } from "../http/shapes.ts";
import {
  AllRequestsQuery,
  NewRequestBody,
  RequestChangesBody,
  RequestListQuery,
  RequestPutBody,
  type RequestQuery,
} from "./input.ts";
import { FeatureRequest, FeatureRequestPage, presentFeatureRequest } from "./model.ts";
import { featureRequestList, featureRequestStore } from "./store.ts";

const schemas = createResourceSchemas(
  { plural: "requests", noun: "request", title: "Request", idName: "requestId" },
  {
    resource: FeatureRequest,
    query: RequestListQuery,
    create: NewRequestBody,
    update: RequestChangesBody,
    put: RequestPutBody,
  },
);
const handlers = createResourceHandlers({
  path: "/api/v1/requests",
  idName: "requestId",
  present: presentFeatureRequest,
  list: (snapshot, accountId, query: RequestQuery) =>
    featureRequestList.read(snapshot, { ...query, ...pageOf(query), accountId }),
  store: featureRequestStore,
});

/** The operations on feature requests. */
export const featureRequestRoutes = tenantRoutes("/api/v1")
  .get("/accounts/:accountId/requests", handlers.list, schemas.list)
  .post("/accounts/:accountId/requests", handlers.create, schemas.create)
  .get("/requests/:requestId", handlers.get, schemas.get)
  .patch("/requests/:requestId", handlers.update, schemas.update)
  .delete("/requests/:requestId", handlers.delete, schemas.delete)
  .get("/requests/external/:externalId", handlers.getByExternalId, schemas.getByExternalId)
  .delete("/requests/external/:externalId", handlers.deleteByExternalId, schemas.deleteByExternalId)
  .put("/requests/external/:externalId", handlers.put, schemas.put)
  .get(
    "/requests",
    async ({ tenant, query }) => {
      const accountId = query.accountId === undefined ? undefined : Number(query.accountId);
      const { rows, pagination } = await tenant.read((snapshot) =>
        featureRequestList.read(snapshot, { ...query, ...pageOf(query), accountId }),
      );
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
          "Returns a page of the requests of the organization, or of one account. Filters are combined with AND. The page is empty for an account that does not exist. Every order ends in `id`, so pages do not overlap while the data does not change.",
      },
    },
  );
