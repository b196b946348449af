import { tenantRoutes } from "../http/guard/guard.ts";
import { createResourceHandlers } from "../http/resource/handlers.ts";
import { createResourceSchemas } from "../http/resource/schemas.ts";
import { createResourceOperations } from "../http/resource/write-operations.ts";
import { RequestListQuery, requestBodies } from "./input.ts";
import { FeatureRequest, presentFeatureRequest } from "./model.ts";
import { featureRequestList, featureRequestStore } from "./store.ts";

const names = { plural: "requests", noun: "request", title: "Request", idName: "requestId" } as const;
const schemas = createResourceSchemas(names, {
  resource: FeatureRequest,
  query: RequestListQuery,
  ...requestBodies,
});
const handlers = createResourceHandlers(names, {
  present: presentFeatureRequest,
  list: featureRequestList,
  store: featureRequestStore,
});

/** The writes that batches may have. */
export const featureRequestOperations = createResourceOperations(names, schemas, handlers.writes);

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
  .get("/requests", handlers.listAll, schemas.listAll);
