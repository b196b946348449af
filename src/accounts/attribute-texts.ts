import { isInJson, textInput, unlessLonger } from "../../db/expressions.ts";
import { accounts } from "../../db/schema.ts";
import { NO_ATTRIBUTES } from "../core/attributes/attributes.ts";
import { select } from "../core/tenant/statements.ts";
import type { TenantSnapshot } from "../core/tenant/transaction.ts";

/** Longer attributes, in characters of JSON, are read of a few accounts at a time. */
const maxShortLength = 4_000;
const longTextsAtOnce = 10;

const shortAttributesOf = select("accounts.shortAttributes", {
  fields: { id: accounts.id, attributes: unlessLonger(accounts.attributes, maxShortLength) },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});
export const attributesOf = select("accounts.includedAttributes", {
  fields: { id: accounts.id, attributes: accounts.attributes },
  from: accounts,
  where: isInJson(accounts.id, textInput("accountIds")),
});

/**
 * The attributes of accounts, as JSON texts in the order of the ids. Ends after the account with which the texts have
 * `maxLength` characters: the texts of the next ones are not in memory. Usually one statement.
 */
export async function readAttributeTexts(
  snapshot: TenantSnapshot,
  ids: readonly number[],
  maxLength: number,
): Promise<string[]> {
  const short = await snapshot.all(shortAttributesOf, { accountIds: JSON.stringify(ids) });
  const textsById = new Map(short.map(({ id, attributes }) => [id, attributes]));
  const texts: string[] = [];
  let length = 0;
  for (const [i, id] of ids.entries()) {
    if (length >= maxLength) break;
    if (textsById.get(id) === null) {
      const next = ids.slice(i).filter((other) => textsById.get(other) === null);
      const accountIds = JSON.stringify(next.slice(0, longTextsAtOnce));
      for (const long of await snapshot.all(attributesOf, { accountIds }))
        textsById.set(long.id, long.attributes);
    }
    const text = textsById.get(id) ?? NO_ATTRIBUTES;
    length += text.length;
    texts.push(text);
  }
  return texts;
}
