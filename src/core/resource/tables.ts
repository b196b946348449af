import { accounts, contacts, featureRequests, meetings } from "../../../db/schema.ts";
import type { ResourceType } from "../../shared/resources.ts";

export const resourceTables = {
  account: accounts,
  contact: contacts,
  meeting: meetings,
  request: featureRequests,
} as const satisfies Record<ResourceType, object>;
export type Tables = typeof resourceTables;
