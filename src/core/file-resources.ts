/** The resources whose rows are imported from files and exported to them. */
export const fileResources = ["accounts", "contacts", "meetings", "requests"] as const;
export type FileResource = (typeof fileResources)[number];
