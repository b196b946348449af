import type { Reader } from "../../db/engine.ts";
import { countAccounts } from "../account-counts/counts.ts";
import { requireOrganization } from "../admin/operations.ts";
import { listKeys } from "../api-keys/store.ts";
import { readDatabase } from "../config.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { TenantSnapshot } from "../core/tenant/tenant.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { hasTraits } from "../organizations/settings.ts";
import { listOrganizations, type Organization } from "../organizations/store.ts";
import { administer } from "./administer.ts";
import {
  type Command,
  type CommandGroup,
  databaseOption,
  expectArguments,
  requiredArgument,
} from "./command.ts";
import { withDatabase } from "./database.ts";
import { print, printList } from "./output.ts";

const createCommand: Command = {
  name: "organizations create",
  summary: "Create an organization.",
  usage: "NAME",
  options: databaseOption,
  examples: ['organizations create "Acme Inc."'],
  async run({ positionals, flags }) {
    const name = requiredArgument(positionals, 0, "The organization's NAME");
    expectArguments(positionals, 1);
    const created = await administer(
      readDatabase(flags),
      "createOrganization",
      { name },
      { canCreate: true },
    );
    print(
      flags.json
        ? JSON.stringify(present(created), null, 2)
        : `Organization ${created.id} is ${created.name}.`,
    );
  },
};

const deleteCommand: Command = {
  name: "organizations delete",
  summary: "Delete an organization with all of its data, its keys and its changes.",
  usage: "NAME|ID --yes",
  options: {
    yes: { type: "boolean", description: "confirm; without it the command only says what would be deleted" },
    ...databaseOption,
  },
  examples: ['organizations delete "Acme Inc." --yes'],
  async run({ positionals, flags }) {
    const organization = requiredArgument(positionals, 0, "The organization's NAME or ID");
    expectArguments(positionals, 1);
    const database = readDatabase(flags);
    if (!flags.yes) throw await confirmationRequired(database, organization);
    const input = { organization };
    const deleted = await administer(database, "deleteOrganization", input, { isExclusive: true });
    print(
      flags.json
        ? JSON.stringify(present(deleted), null, 2)
        : `Organization ${deleted.id}, ${deleted.name}, is deleted.${deleted.filePending ? ` ${filePending}` : ""}`,
    );
  },
};

const filePending =
  "Another program reads the file: the server erases what the rows left in it later, now or after its next start.";

/** Says what a deletion would delete. Throws OperatorError when there is no such organization. */
function confirmationRequired(database: string, nameOrId: string): Promise<UsageError> {
  return withDatabase(database, async (reader) => {
    const { id, name } = await requireOrganization(reader, nameOrId);
    const accountCount = await reader.read((snapshot) => countAccounts(new TenantSnapshot(snapshot, id)));
    const keyCount = (await listKeys(reader, id)).length;
    const what = `organization ${id}, ${name}, with all of its data (accounts: ${accountCount}, keys: ${keyCount})`;
    return new UsageError(`This deletes ${what}, for good. Add --yes to do it.`, "confirmation_required");
  });
}

const setCommand: Command = {
  name: "organizations set",
  summary: "Turn on whether Segment's calls create and update accounts and contacts.",
  usage: "NAME|ID --traits on|off",
  options: {
    traits: {
      type: "string",
      value: "on|off",
      description: "store the traits of group calls as accounts, and those of identify calls as contacts",
    },
    ...databaseOption,
  },
  examples: ['organizations set "Acme Inc." --traits on'],
  async run({ positionals, flags }) {
    const organization = requiredArgument(positionals, 0, "The organization's NAME or ID");
    expectArguments(positionals, 1);
    const { traits } = flags;
    if (traits !== "on" && traits !== "off")
      throw new UsageError("--traits must be on or off.", "invalid_setting");
    const input = { organization, traits: traits === "on" };
    const { id, name } = await administer(readDatabase(flags), "setTraits", input);
    print(
      flags.json
        ? JSON.stringify({ id, name, traits }, null, 2)
        : `Traits of organization ${id}, ${name}, are ${traits}.`,
    );
  },
};

const listCommand: Command = {
  name: "organizations list",
  summary: "List the organizations, and whether their traits are on.",
  usage: "",
  options: databaseOption,
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    const rows = await withDatabase(readDatabase(flags), readRows);
    printList(rows, ["id", "name", "createdAt", "traits"], flags.json === true);
  },
};

/** The organizations, each with whether its traits are on. */
async function readRows(reader: Reader) {
  const organizations = await listOrganizations(reader);
  return reader.read((snapshot) =>
    Promise.all(
      organizations.map(async (organization) => {
        const isOn = await hasTraits(new TenantSnapshot(snapshot, organization.id));
        return { ...present(organization), traits: isOn ? "on" : "off" };
      }),
    ),
  );
}

export const organizationCommands: CommandGroup = {
  name: "organizations",
  summary: "Create, set up, list and delete organizations.",
  commands: [createCommand, listCommand, setCommand, deleteCommand],
};

function present(organization: Organization) {
  return { ...organization, createdAt: formatTimestamp(organization.createdAt) };
}
