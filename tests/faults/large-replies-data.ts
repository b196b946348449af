import { sendRequest } from "../binary/service.ts";
import { Random } from "../support/random.ts";

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789""""""""""""';
const attributeCount = 50;
const attributeLength = 490;
/** Accounts of a request, so that its body has less than 1 MiB. */
const accountsPerRequest = 15;
/** Contacts of the first accounts, so that their page with all members has nearly 8 MiB. */
const [accountsWithContacts, contactsPerAccount, contactsPerRequest] = [100, 48, 960];

/** The parameters of paths: ids of existing rows, by the names in the OpenAPI document. */
export type PathIds = Readonly<Record<string, string | number>>;
type Send = (method: string, path: string, body?: unknown) => Promise<{ id: number }>;

/**
 * Creates accounts with one contact each, all with attributes of nearly 32 KiB: texts that are escaped in JSON, with one
 * character that needs 16 bits, so that the engine stores the whole text in 16 bits for each character.
 */
export async function fillLargeRows(url: string, key: string, count: number): Promise<PathIds> {
  const send = senderOf(url, key);
  for (let first = 0; first < count; first += accountsPerRequest) {
    const accounts = Array.from({ length: Math.min(accountsPerRequest, count - first) }, (_, i) => ({
      externalId: `x-${first + i}`,
      name: `Account ${first + i}`,
      attributes: largeAttributes(first + i),
      contacts: [
        { externalId: `c-${first + i}`, name: "Contact", attributes: largeAttributes(count + first + i) },
      ],
    }));
    await send("POST", "/api/v1/accounts/batch", { accounts });
  }
  const contacts = Array.from({ length: contactsPerAccount }, (_, i) => ({
    email: `${i}@example.com`,
    name: "ж".repeat(250),
  }));
  const perRequest = contactsPerRequest / contactsPerAccount;
  for (let first = 0; first < Math.min(count, accountsWithContacts); first += perRequest) {
    const accounts = Array.from({ length: perRequest }, (_, i) => ({
      externalId: `x-${first + i}`,
      contacts,
    }));
    await send("POST", "/api/v1/accounts/batch", { accounts });
  }
  const { id: accountId } = await send("GET", "/api/v1/accounts/external/x-0?fields=id");
  const { id: contactId } = await send("GET", "/api/v1/contacts/external/c-0?fields=id");
  return { accountId, contactId };
}

function largeAttributes(seed: number): Record<string, string> {
  const random = new Random(seed);
  const text = () => Array.from({ length: attributeLength }, () => letters[random.below(letters.length)]);
  return Object.fromEntries(
    Array.from({ length: attributeCount }, (_, i) => [`attribute${i}`, `ж${text().join("")}`]),
  );
}

/** Sends requests that must succeed. Resolves with `data` of the reply. */
export function senderOf(url: string, key: string): Send {
  return async (method, path, body) => {
    const { status, text, body: reply } = await sendRequest(url, key, method, path, body);
    if (status >= 300 || reply.data?.failed > 0 || reply.data?.rejected > 0)
      throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return reply.data;
  };
}
