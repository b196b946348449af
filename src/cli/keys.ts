import type { Engine } from "../../db/sqlite/engine.ts";
import { createKey, type Key, listKeys, revokeKey } from "../api-keys/store.ts";
import { UsageError } from "../config.ts";
import { formatTimestamp, parseTimestamp } from "../core/timestamps.ts";
import { findOrganization, listOrganizations, type Organization } from "../organizations/store.ts";
import {
  type Command,
  expectArguments,
  type Invocation,
  print,
  printError,
  printList,
  requiredArgument,
} from "./command.ts";
import { withDatabase } from "./database.ts";

export const keysCommand: Command = {
  name: "keys",
  summary: "Makes, lists and revokes the keys of organizations.",
  usage: [
    "keys create --organization NAME|ID [--name TEXT] [--expires 90d|ISO date]",
    "keys list [--organization NAME|ID]",
    "keys revoke ID",
  ],
  options: {
    organization: { type: "string", about: "NAME or ID of the organization" },
    name: { type: "string", about: "what the key is for" },
    expires: {
      type: "string",
      about: "when the key ends: 24h, 90d, 12w, or an ISO 8601 date (default: never)",
    },
  },
  async run(invocation) {
    const action = requiredArgument(invocation.words, 0, "create, list or revoke");
    if (action === "create") return create(invocation);
    if (action === "list") return list(invocation);
    if (action === "revoke") return revoke(invocation);
    throw new UsageError(`keys has no ${action}: it has create, list and revoke.`);
  },
};

async function create(invocation: Invocation): Promise<void> {
  const { words, flags } = invocation;
  expectArguments(words, 1);
  const now = Date.now();
  const wanted = requiredArgument([String(flags.organization ?? "")], 0, "--organization");
  const expiresAt = flags.expires === undefined ? null : expiryOf(String(flags.expires), now);
  const name = String(flags.name ?? "");
  if (/\p{Cc}/u.test(name) || name.length > 255)
    throw new UsageError("--name must be a line of at most 255 characters.");
  const { secret, key, organization } = await withDatabase(invocation, { create: false }, async (engine) => {
    const organization = await requireOrganization(engine, wanted);
    return {
      organization,
      ...(await createKey(engine, { organizationId: organization.id, name, expiresAt, now })),
    };
  });
  if (flags.json) return print(JSON.stringify({ ...shown(key, organization.name), key: secret }, null, 2));
  printError(`Key ${key.id} of ${organization.name}. It is shown this once, and kept nowhere:`);
  print(secret);
}

async function list(invocation: Invocation): Promise<void> {
  const { words, flags } = invocation;
  expectArguments(words, 1);
  const rows = await withDatabase(invocation, { create: false }, async (engine) => {
    const only =
      flags.organization === undefined
        ? undefined
        : await requireOrganization(engine, String(flags.organization));
    const names = new Map((await listOrganizations(engine)).map(({ id, name }) => [id, name]));
    return (await listKeys(engine, only?.id)).map((key) => shown(key, names.get(key.organizationId) ?? ""));
  });
  const columns = [
    "id",
    "organization",
    "name",
    "lastFour",
    "createdAt",
    "expiresAt",
    "revokedAt",
    "lastUsedAt",
  ] as const;
  printList(rows, [...columns], flags.json === true);
}

async function revoke(invocation: Invocation): Promise<void> {
  const { words, flags } = invocation;
  const id = requiredArgument(words, 1, "The key's ID");
  expectArguments(words, 2);
  if (!/^\d{1,15}$/.test(id))
    throw new UsageError("The key's ID must be a number; accountd keys list shows it.");
  const key = await withDatabase(invocation, { create: false }, (engine) =>
    revokeKey(engine, Number(id), Date.now()),
  );
  if (!key) throw new Error(`There is no key ${id}.`);
  print(flags.json ? JSON.stringify(shown(key), null, 2) : `Key ${key.id} is revoked.`);
}

async function requireOrganization(engine: Engine, nameOrId: string): Promise<Organization> {
  const organization = await findOrganization(engine, nameOrId);
  if (!organization)
    throw new Error(`There is no organization ${nameOrId}. accountd organizations list shows them.`);
  return organization;
}

const hour = 3_600_000;
const units: Record<string, number> = { h: hour, d: 24 * hour, w: 7 * 24 * hour };

function expiryOf(text: string, now: number): number {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const at = amount === undefined ? parseTimestamp(text) : now + Number(amount) * (units[unit] ?? 0);
  if (at === undefined) throw new UsageError("--expires must be such as 24h, 90d, 12w, or an ISO 8601 date.");
  if (at <= now) throw new UsageError("--expires must be in the future.");
  return at;
}

function shown(key: Key, organization?: string) {
  const { createdAt, expiresAt, revokedAt, lastUsedAt, ...rest } = key;
  return {
    ...rest,
    ...(organization !== undefined && { organization }),
    createdAt: formatTimestamp(createdAt),
    expiresAt: whenOf(expiresAt),
    revokedAt: whenOf(revokedAt),
    lastUsedAt: whenOf(lastUsedAt),
  };
}

function whenOf(time: number | null): string | null {
  return time === null ? null : formatTimestamp(time);
}
