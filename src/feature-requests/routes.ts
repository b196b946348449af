import { createSubResourceRoutes } from "../http/resource/resource-routes.ts";
import { RequestListQuery, requestBodies } from "./input.ts";
import { FeatureRequest, presentFeatureRequest } from "./model.ts";
import { featureRequestList, featureRequestStore } from "./store.ts";

/** The operations on feature requests. */
export const featureRequestRoutes = createSubResourceRoutes({
  plural: "requests",
  noun: "request",
  title: "Request",
  shape: FeatureRequest,
  query: RequestListQuery,
  bodies: requestBodies,
  present: presentFeatureRequest,
  list: featureRequestList,
  store: featureRequestStore,
});
