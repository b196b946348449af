import { type FieldName, fieldLabels } from "../../../../shared/field-labels.ts";
import type { accountStatuses } from "../../../../shared/fields/accounts.ts";
import type { requestStatuses } from "../../../../shared/fields/requests.ts";
import type { HealthTier } from "../../../../shared/fields/tiers.ts";
import { ofResourceTypes, type ResourceName } from "../../../../shared/resources.ts";

/** What a form says about an input. */
const hints = {
  accounts: { contactActivityAt: "If set, it is pinned: no meeting and no event changes it." },
  contacts: { name: "Default: the address.", userId: "The id of the person in your product." },
  requests: { requestedAt: "Default: now." },
} satisfies Partial<Record<ResourceName, Partial<Record<FieldName, string>>>>;

const statuses = {
  active: "Active",
  onboarding: "Onboarding",
  churned: "Churned",
  inactive: "Inactive",
  Open: "Open",
  Planned: "Planned",
  Started: "Started",
  Done: "Done",
  Declined: "Declined",
} satisfies Record<(typeof accountStatuses | typeof requestStatuses)[number], string>;

const tiers = {
  healthy: "Healthy",
  attention: "Attention",
  at_risk: "At risk",
  critical: "Critical",
  none: "Unscored",
} satisfies Record<HealthTier | "none", string>;

/** Fields of resources: their names, the hints of their inputs, and the texts of their values. */
export const fields = {
  labels: { ...fieldLabels, description: "Description", url: "Address" },
  hints,
  values: {
    status: statuses,
    tier: tiers,
    severity: { 1: "1 (slight)", 2: "2", 3: "3", 4: "4", 5: "5 (severe)" },
  },
  /** The resources in the singular, and as headings. */
  nouns: ofResourceTypes(({ title }) => title),
  titles: ofResourceTypes(({ titles }) => titles),
  attributes: "Attributes",
  attribute: "Attribute",
  value: "Value",
  types: { string: "Text", number: "Number", boolean: "Yes or no" },
  none: "none",
  true: "yes",
  false: "no",
  emptyText: "empty text",
};
