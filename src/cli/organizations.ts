import { readDatabase } from "../config.ts";
import { formatTimestamp } from "../core/timestamps.ts";
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
    const created = await administer(readDatabase(flags), "createOrganization", { name }, { create: true });
    print(
      flags.json
        ? JSON.stringify(present(created), null, 2)
        : `Organization ${created.id} is ${created.name}.`,
    );
  },
};

const listCommand: Command = {
  name: "organizations list",
  summary: "List the organizations.",
  usage: "",
  options: databaseOption,
  async run({ positionals, flags }) {
    expectArguments(positionals, 0);
    const rows = await withDatabase(readDatabase(flags), listOrganizations);
    printList(rows.map(present), ["id", "name", "createdAt"], flags.json === true);
  },
};

export const organizationCommands: CommandGroup = {
  name: "organizations",
  summary: "Create and list organizations.",
  commands: [createCommand, listCommand],
};

function present(organization: Organization) {
  return { ...organization, createdAt: formatTimestamp(organization.createdAt) };
}
