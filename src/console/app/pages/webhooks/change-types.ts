import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { messages } from "../../messages/messages.ts";

const text = messages.webhooks;
/** In a list of webhooks. */
const maxNamedTypes = 2;

export type ChangeType = NonNullable<components["schemas"]["NewWebhook"]["types"]>[number];

/** Each type of changes with its group and what it is called there. */
const labels = {
  "account.created": text.actions.created,
  "account.updated": text.actions.updated,
  "account.deleted": text.actions.deleted,
  "account.health_changed": text.actions.health_changed,
  "contact.created": text.actions.created,
  "contact.updated": text.actions.updated,
  "contact.deleted": text.actions.deleted,
  "meeting.created": text.actions.created,
  "meeting.updated": text.actions.updated,
  "meeting.deleted": text.actions.deleted,
  "request.created": text.actions.created,
  "request.updated": text.actions.updated,
  "request.deleted": text.actions.deleted,
  "health_settings.updated": text.actions.settings,
} satisfies Record<ChangeType, string>;

// Safe: the keys of the table.
const types = Object.keys(labels) as ChangeType[];

type TypeGroup = { title: string; types: { type: ChangeType; label: string }[] };

/** The types of changes in the groups of a form. */
export const typeGroups: readonly TypeGroup[] = Object.entries(text.groups).map(([noun, title]) => ({
  title,
  types: types.filter((type) => nounOf(type) === noun).map((type) => ({ type, label: labels[type] })),
}));

function nounOf(type: string): string {
  return type.split(".")[0] ?? "";
}

/** Such as "Contact created". A type of a later version stays as it is. */
export function textOfType(type: string): string {
  const nouns: Readonly<Record<string, string>> = text.nouns;
  const actions: Readonly<Record<string, string>> = text.actions;
  const [noun, action] = [nouns[nounOf(type)], actions[type.split(".")[1] ?? ""]];
  return noun === undefined || action === undefined ? type : text.type(noun, action);
}

/** The first types, and how many more there are, such as "Contact created, Meeting deleted +3". */
export function textOfFirstTypes(types: readonly string[]): string {
  const named = types.slice(0, maxNamedTypes).map(textOfType).join(", ");
  const moreCount = types.length - maxNamedTypes;
  return moreCount > 0 ? text.moreTypes(named, moreCount) : named;
}
