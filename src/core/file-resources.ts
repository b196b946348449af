import { type ResourceName, resourceNames } from "../shared/resources.ts";

/** The resources whose rows are imported from files and exported to them. */
export const fileResources = resourceNames;
export type FileResource = ResourceName;
