import { readDatabase } from "../config.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { jsonOf, type Send, withClient } from "./client.ts";
import type { Command, CommandGroup } from "./command.ts";
import { databaseOption } from "./options.ts";
import { printList, printResult } from "./output.ts";

type PresentedOrganization = { id: number; name: string; createdAt: string };

const createCommand: Command = {
  name: "organizations create",
  summary: "Create an organization.",
  usage: "NAME",
  arguments: ["The organization's NAME"],
  options: databaseOption,
  examples: ['organizations create "Acme Inc."'],
  async run({ positionals: [name = ""], flags }) {
    const created = await withClient(readDatabase(flags), "create", (send) =>
      jsonOf<PresentedOrganization>(send("/operator/organizations", { method: "POST", body: { name } })),
    );
    printResult(flags, created, `Organization ${created.id} is ${created.name}.`);
  },
};

const deleteCommand: Command = {
  name: "organizations delete",
  summary: "Delete an organization with all of its data, its keys and its changes.",
  usage: "NAME|ID --yes",
  arguments: ["The organization's NAME or ID"],
  options: {
    yes: { type: "boolean", description: "confirm; without it the command only says what would be deleted" },
    ...databaseOption,
  },
  examples: ['organizations delete "Acme Inc." --yes'],
  async run({ positionals: [organization = ""], flags }) {
    const database = readDatabase(flags);
    if (!flags.yes)
      throw await withClient(database, "read", (send) => confirmationRequired(send, organization));
    const deleted = await withClient(database, "exclusive", (send) =>
      jsonOf<PresentedOrganization & { filePending?: true }>(
        send("/operator/organization", { method: "DELETE", organization }),
      ),
    );
    const pending = deleted.filePending ? ` ${filePending}` : "";
    printResult(flags, deleted, `Organization ${deleted.id}, ${deleted.name}, is deleted.${pending}`);
  },
};

const filePending =
  "Another program reads the file: the server erases what the rows left in it later, now or after its next start.";

/** Says what a deletion would delete. Throws OperatorError when there is no such organization. */
async function confirmationRequired(send: Send, organization: string): Promise<UsageError> {
  const { id, name, accountCount, keyCount } = await jsonOf<
    PresentedOrganization & { accountCount: number; keyCount: number }
  >(send("/operator/organization", { organization }));
  const what = `organization ${id}, ${name}, with all of its data (accounts: ${accountCount}, keys: ${keyCount})`;
  return new UsageError(`This deletes ${what}, for good. Add --yes to do it.`, "confirmation_required");
}

const setCommand: Command = {
  name: "organizations set",
  summary: "Turn on whether Segment's calls create and update accounts and contacts.",
  usage: "NAME|ID --traits on|off",
  arguments: ["The organization's NAME or ID"],
  options: {
    traits: {
      type: "string",
      value: "on|off",
      description:
        "store the traits of group calls as accounts, and the traits of identify calls as contacts",
    },
    ...databaseOption,
  },
  examples: ['organizations set "Acme Inc." --traits on'],
  async run({ positionals: [organization = ""], flags }) {
    const { traits } = flags;
    if (traits !== "on" && traits !== "off")
      throw new UsageError("--traits must be on or off.", "invalid_setting");
    const body = { traits: traits === "on" };
    const { id, name } = await withClient(readDatabase(flags), "write", (send) =>
      jsonOf<PresentedOrganization>(send("/operator/organization", { method: "PATCH", organization, body })),
    );
    printResult(flags, { id, name, traits }, `Traits of organization ${id}, ${name}, are ${traits}.`);
  },
};

const renameCommand: Command = {
  name: "organizations rename",
  summary: "Rename an organization.",
  usage: "NAME|ID NEW-NAME",
  arguments: ["The organization's NAME or ID", "The NEW-NAME"],
  options: databaseOption,
  examples: ['organizations rename acme "Acme Inc."'],
  async run({ positionals: [organization = "", newName = ""], flags }) {
    const renamed = await withClient(readDatabase(flags), "write", (send) =>
      jsonOf<{ id: number; name: string }>(
        send("/operator/organization/name", { method: "PUT", organization, body: { name: newName } }),
      ),
    );
    printResult(flags, renamed, `Organization ${renamed.id} is renamed: ${renamed.name}`);
  },
};

const listCommand: Command = {
  name: "organizations list",
  summary: "List the organizations, and whether their traits are on.",
  usage: "",
  options: databaseOption,
  async run({ flags }) {
    const rows = await withClient(readDatabase(flags), "read", (send) =>
      jsonOf<ListedOrganization[]>(send("/operator/organizations")),
    );
    printList(flags, rows, ["id", "name", "createdAt", "traits"]);
  },
};

type ListedOrganization = PresentedOrganization & { traits: string };

export const organizationCommands: CommandGroup = {
  name: "organizations",
  summary: "Create, set up, rename, list and delete organizations.",
  commands: [createCommand, listCommand, setCommand, renameCommand, deleteCommand],
};
