import type { ResourceName, resources } from "./resources.ts";

export type FieldName = { [R in ResourceName]: keyof (typeof resources)[R]["fields"] }[ResourceName];
/** Every field of a resource, except flags that repeat the status, and attributes, which have their own names. */
type LabelledName = Exclude<FieldName, "id" | "active" | "churned" | "onboarding" | "attributes">;

/** The names of fields in English, of all resources and of forms of the console. */
export const fieldLabels = {
  accountId: "Account",
  contactActivityAt: "Last activity",
  contactEmail: "Contact e-mail",
  contactName: "Contact name",
  createdAt: "Created",
  email: "E-mail",
  endAt: "End",
  expiresAt: "Expires",
  externalId: "External id",
  lastSeenAt: "Last seen",
  logoUrl: "Logo URL",
  mrr: "MRR",
  name: "Name",
  rateLimit: "Requests per minute",
  requestedAt: "Requested",
  resolvedAt: "Resolved",
  scopes: "Scopes",
  score: "Score",
  severity: "Severity",
  startAt: "Start",
  status: "Status",
  tier: "Tier",
  title: "Title",
  updatedAt: "Updated",
  userId: "User id",
} satisfies Record<LabelledName, string> & Record<string, string>;

/** The words of the name of an attribute: `renewalDate` is "Renewal date". */
export function wordsOfName(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/(?<=[a-z\d])[A-Z](?![A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
