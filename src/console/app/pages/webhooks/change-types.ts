import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { resourceTypes } from "../../../../shared/resources.ts";
import { webhooks as text } from "../../messages/messages.ts";

/** In a list of webhooks. */
const maxNamedTypes = 2;

export type ChangeType = NonNullable<components["schemas"]["NewWebhook"]["types"]>[number];

const types: readonly ChangeType[] = [
  ...resourceTypes.flatMap((noun) =>
    (["created", "updated", "deleted"] as const).map((action) => `${noun}.${action}` as const),
  ),
  "account.health_changed",
  "health_settings.updated",
];

type TypeGroup = { title: string; types: { type: ChangeType; label: string }[] };

/** The types of changes in the groups of a form, with what they are called there. */
export const typeGroups: readonly TypeGroup[] = Object.entries(text.groups).map(([group, title]) => ({
  title,
  types: types.flatMap((type) => {
    const [noun, action] = namesOf(type);
    if (!type.startsWith(`${group}.`)) return [];
    return { type, label: group === "health_settings" ? text.type(noun, action) : action };
  }),
}));

/** The names of the noun and of the action of a type; "" for a type of a later version. */
function namesOf(type: string): [noun: string, action: string] {
  const nouns: Readonly<Record<string, string>> = text.nouns;
  const actions: Readonly<Record<string, string>> = text.actions;
  const [noun = "", action = ""] = type.split(".");
  return [nouns[noun] ?? "", actions[action] ?? ""];
}

/** Such as "Contact created". A type of a later version stays as it is. */
export function textOfType(type: string): string {
  const [noun, action] = namesOf(type);
  return noun === "" || action === "" ? type : text.type(noun, action);
}

/** The first types, and how many more there are, such as "Contact created, Meeting deleted +3". */
export function textOfFirstTypes(types: readonly string[]): string {
  const named = types.slice(0, maxNamedTypes).map(textOfType).join(", ");
  const moreCount = types.length - maxNamedTypes;
  return moreCount > 0 ? text.moreTypes(named, moreCount) : named;
}
