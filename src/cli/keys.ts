import { isKeyName } from "../api-keys/store.ts";
import { readDatabase } from "../config.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { maxRateLimit } from "../core/settings/settings.ts";
import { closestScope, defaultScopes, readScopes, type Scope, scopes } from "../core/tenant/scopes.ts";
import { millisecondsOfDay, millisecondsOfHour, parseTimestamp } from "../core/timestamps.ts";
import { jsonOf, withClient } from "./client.ts";
import type { Command, CommandGroup } from "./command.ts";
import { databaseOption, organizationOption, readOrganization } from "./options.ts";
import { printError, printList, printResult } from "./output.ts";

const unitMilliseconds: Readonly<Record<string, number>> = {
  h: millisecondsOfHour,
  d: millisecondsOfDay,
  w: 7 * millisecondsOfDay,
};

/** When a key expires, in milliseconds: at a time, or so long after its creation; both null for never. */
type Expiry = { expiresAt: number | null; expiresAfter: number | null };

const neverExpires: Expiry = { expiresAt: null, expiresAfter: null };

/** Reads the value of `--expires`. Throws UsageError for what is no duration or date, or not in the future. */
export function parseExpiry(text: string, now: number): Expiry {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const expiresAfter = amount === undefined ? null : Number(amount) * (unitMilliseconds[unit] ?? 0);
  const expiresAt = expiresAfter === null ? parseTimestamp(text) : null;
  if (expiresAt === undefined)
    throw new UsageError("--expires must be such as 24h, 90d, 12w, or an ISO 8601 date.");
  if (expiresAfter === 0 || (expiresAt !== null && expiresAt <= now))
    throw new UsageError("--expires must be in the future.");
  return { expiresAt, expiresAfter };
}

const createCommand: Command = {
  name: "keys create",
  summary: "Create a key and print it: it is shown this once.",
  usage: "--organization NAME|ID [--name TEXT] [--scope LIST] [--rate-limit N] [--expires WHEN]",
  options: {
    ...organizationOption,
    name: { type: "string", value: "TEXT", description: "what the key is for" },
    scope: {
      type: "string",
      value: "LIST",
      joinedBy: ",",
      description: `what the key may do, a comma list of ${scopes.join(", ")} (default: ${defaultScopes})`,
    },
    "rate-limit": {
      type: "string",
      value: "N",
      description: "requests per minute (1 to 1000000; default: the server's)",
    },
    expires: {
      type: "string",
      value: "WHEN",
      description: "when the key expires: 24h, 90d, 12w, or an ISO 8601 date (default: never)",
    },
    ...databaseOption,
  },
  examples: [
    "keys create --organization Acme --name import --expires 90d",
    "keys create --organization Acme --scope read",
  ],
  async run({ flags }) {
    const organization = readOrganization(flags);
    const expiry =
      flags.expires === undefined ? neverExpires : parseExpiry(String(flags.expires), Date.now());
    const name = String(flags.name ?? "");
    if (!isKeyName(name)) throw new UsageError("--name must be one line of at most 255 characters.");
    const body = {
      name,
      ...expiry,
      scopes: flags.scope === undefined ? undefined : readScopeOption(flags.scope),
      rateLimit: flags["rate-limit"] === undefined ? null : readRateOption(flags["rate-limit"]),
    };
    const created = await withClient(readDatabase(flags), "write", (send) =>
      jsonOf<CreatedKey>(send("/operator/keys", { method: "POST", organization, body })),
    );
    if (!flags.json)
      printError(`Key ${created.id} of ${created.organization}. It is shown this once and not stored:`);
    printResult(flags, created, created.key);
  },
};
type CreatedKey = { id: number; organization: string; key: string };

/** The value of `--scope`. Throws UsageError. */
export function readScopeOption(list: string | boolean): readonly Scope[] {
  const chosen = readScopes(String(list));
  if (chosen) return chosen;
  const closest = closestScope(String(list).split(","));
  const hint = closest === undefined ? "" : ` Did you mean ${closest}?`;
  throw new UsageError(`--scope must be a comma list of ${scopes.join(", ")}.${hint}`);
}

/** The value of `--rate-limit`. Throws UsageError. */
function readRateOption(text: string | boolean): number {
  const limit = /^\d{1,7}$/.test(String(text)) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxRateLimit) return limit;
  throw new UsageError(`--rate-limit must be a number of requests per minute from 1 to ${maxRateLimit}.`);
}

const listCommand: Command = {
  name: "keys list",
  summary: "List the keys, of one organization or of all.",
  usage: "[--organization NAME|ID]",
  options: { ...organizationOption, ...databaseOption },
  async run({ flags }) {
    const organization = flags.organization === undefined ? undefined : String(flags.organization);
    const rows = await withClient(readDatabase(flags), "read", (send) =>
      jsonOf<ListedKey[]>(send("/operator/keys", { organization })),
    );
    printList(flags, rows, columns);
  },
};

const revokeCommand: Command = {
  name: "keys revoke",
  summary: "Revoke a key, at once and for good.",
  usage: "ID",
  arguments: ["The key's ID"],
  options: databaseOption,
  async run({ positionals: [id = ""], flags }) {
    const path = `/operator/keys/${readKeyId("The key's ID", id)}`;
    const key = await withClient(readDatabase(flags), "write", (send) =>
      jsonOf<ListedKey>(send(path, { method: "DELETE" })),
    );
    printResult(flags, key, `Key ${key.id} is revoked.`);
  },
};

const renameCommand: Command = {
  name: "keys rename",
  summary: "Rename a key.",
  usage: "ID NAME",
  arguments: ["The key's ID", "The NAME"],
  options: databaseOption,
  examples: ["keys rename 3 importer"],
  async run({ positionals: [id = "", name = ""], flags }) {
    const path = `/operator/keys/${readKeyId("The key's ID", id)}/name`;
    const key = await withClient(readDatabase(flags), "write", (send) =>
      jsonOf<ListedKey>(send(path, { method: "PUT", body: { name } })),
    );
    printResult(flags, key, `Key ${key.id} is renamed: ${key.name}`);
  },
};

/** The id of a key. Throws UsageError, with `name` as the subject of its message. */
export function readKeyId(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`${name} must be a number; accountd keys list shows it.`);
}

export const keyCommands: CommandGroup = {
  name: "keys",
  summary: "Create, list, rename and revoke API keys.",
  commands: [createCommand, listCommand, renameCommand, revokeCommand],
};

const columns = [
  "id",
  "organization",
  "name",
  "lastFour",
  "createdAt",
  "expiresAt",
  "revokedAt",
  "lastUsedAt",
  "scopes",
  "rateLimit",
] as const;
type ListedKey = Record<(typeof columns)[number], unknown>;
