import { UsageError } from "../config.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { createOrganization, listOrganizations, type Organization } from "../organizations/store.ts";
import { type Command, expectArguments, print, printList, requiredArgument } from "./command.ts";
import { withDatabase } from "./database.ts";

export const organizationsCommand: Command = {
  name: "organizations",
  summary: "Makes and lists organizations.",
  usage: ["organizations create NAME", "organizations list"],
  options: {},
  async run(invocation) {
    const { words, flags } = invocation;
    const action = requiredArgument(words, 0, "create or list");
    if (action === "list") {
      expectArguments(words, 1);
      const rows = await withDatabase(invocation, { create: false }, listOrganizations);
      return printList(rows.map(shown), ["id", "name", "createdAt"], flags.json === true);
    }
    if (action !== "create") throw new UsageError(`organizations has no ${action}: it has create and list.`);
    const name = requiredArgument(words, 1, "The organization's NAME");
    expectArguments(words, 2);
    const made = await withDatabase(invocation, { create: true }, (engine) =>
      createOrganization(engine, name, Date.now()),
    );
    print(flags.json ? JSON.stringify(shown(made), null, 2) : `Organization ${made.id} is ${made.name}.`);
  },
};

function shown(organization: Organization) {
  return { ...organization, createdAt: formatTimestamp(organization.createdAt) };
}
