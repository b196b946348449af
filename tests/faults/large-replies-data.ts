import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { scopes } from "../../src/core/tenant/scopes.ts";
import { output, type Running } from "../binary/binary.ts";
import { sendRequest } from "../binary/service.ts";
import type { Program } from "../support/proof.ts";
import { Random } from "../support/random.ts";
import { database } from "./database-kept.ts";
import { durableServer, preparePostgres, query } from "./postgres-ground.ts";

/** Ids of rows, by the names of the parameters of paths. */
export type PathIds = Readonly<Record<string, number | string>>;

/** A database with two organizations. */
export type ReplyGround = {
  /** A key of all scopes of the organization that sends the load. */
  key: string;
  /** A key of the other organization. */
  quietKey: string;
  serve(): Promise<Running>;
  /** Runs SQL as the owner of the database. With SQLite, no server may run. */
  execute(text: string): Promise<unknown>;
  /** The bytes of the database, without its log. */
  size(): Promise<number>;
};

export async function sqliteGround(program: Program): Promise<ReplyGround> {
  const { file, serve } = await database(program);
  const settings = { env: { DATABASE_URL: file }, program };
  await output(["organizations", "create", "Quiet"], settings);
  const createKey = (organization: string) =>
    output(["keys", "create", "--organization", organization, "--scope", scopes.join(",")], settings);
  return {
    key: await createKey("Acme"),
    quietKey: await createKey("Quiet"),
    serve,
    async execute(text) {
      using client = new Database(file, { readwrite: true });
      client.run("PRAGMA synchronous = OFF");
      client.run(text);
    },
    async size() {
      using client = new Database(file, { readonly: true });
      const pages = client.query<{ count: number; size: number }, []>(
        "SELECT page_count AS count, page_size AS size FROM pragma_page_count, pragma_page_size",
      );
      const { count, size } = pages.get() ?? { count: 0, size: 0 };
      return Math.max(statSync(file).size, count * size);
    },
  };
}

export async function postgresGround(program: Program): Promise<ReplyGround> {
  const ground = await preparePostgres(program, await durableServer());
  const [key = "", quietKey = ""] = ground.keys;
  return {
    key,
    quietKey,
    serve: () => ground.serve(0),
    execute: (text) => query(ground.adminUrl(), text),
    size: async () => Number((await query(ground.adminUrl(), "select pg_database_size('accountd')"))[0]?.[0]),
  };
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789""""""""""""';
const attributeCount = 50;
const attributeLength = 490;
/** Accounts of a request, so that its body has less than 1 MiB. */
const accountsPerRequest = 15;
/** Contacts of each account of the first two pages, so that the page with all members has nearly 8 MiB, and over 8 MiB. */
const contactsOfPages = [48, 100];
const [accountsPerPage, contactsPerRequest] = [100, 900];

export type Send = <Data = { id: number }>(method: string, path: string, body?: unknown) => Promise<Data>;

/**
 * Creates accounts with one contact each, all with attributes of nearly 32 KiB: texts that are escaped in JSON, with one
 * character that needs 16 bits, so that the engine stores the whole text in 16 bits for each character. Resolves with
 * the id of a contact.
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
  for (const [page, contactCount] of contactsOfPages.entries()) {
    const contacts = Array.from({ length: contactCount }, (_, i) => ({
      email: `${i}@example.com`,
      name: "ж".repeat(250),
    }));
    const end = Math.min(count, (page + 1) * accountsPerPage);
    const perRequest = Math.floor(contactsPerRequest / contactCount);
    for (let first = page * accountsPerPage; first < end; first += perRequest) {
      const accounts = Array.from({ length: Math.min(perRequest, end - first) }, (_, i) => ({
        externalId: `x-${first + i}`,
        contacts,
      }));
      await send("POST", "/api/v1/accounts/batch", { accounts });
    }
  }
  return { contactId: (await send("GET", "/api/v1/contacts/external/c-0?fields=id")).id };
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
