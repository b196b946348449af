import { readAddress, readDatabase } from "../config.ts";
import { UsageError } from "../core/settings/operator-error.ts";
import { scopes } from "../core/tenant/scopes.ts";
import { urlOf } from "../server/listen.ts";
import { jsonOf, withClient } from "./client.ts";
import type { Command, CommandGroup } from "./command.ts";
import { readKeyId, readScopeOption } from "./keys.ts";
import { readServer } from "./openapi.ts";
import { databaseOption, organizationOption, readOrganization } from "./options.ts";
import { printError, printResult } from "./output.ts";

const linkCommand: Command = {
  name: "console link",
  summary: "Print a link that signs in to the console of a running server once, within 10 minutes.",
  usage: "--organization NAME|ID [--key ID] [--scope LIST] [--server URL]",
  options: {
    ...organizationOption,
    key: {
      type: "string",
      value: "ID",
      description: "the key that the session has (default: a new one, valid for 12 hours)",
    },
    scope: {
      type: "string",
      value: "LIST",
      joinedBy: ",",
      description: `what the new key may do, a comma list of ${scopes.join(", ")} (default: all)`,
    },
    server: {
      type: "string",
      value: "URL",
      description: "the address of the server in the link (default: the address that it listens on)",
    },
    ...databaseOption,
  },
  examples: ["console link --organization Acme --server https://accounts.example.com"],
  async run({ flags }) {
    const organization = readOrganization(flags);
    if (flags.key !== undefined && flags.scope !== undefined)
      throw new UsageError("--scope is of a new key: leave out --key or --scope.");
    const list = flags.scope === undefined ? undefined : readScopeOption(flags.scope);
    if (list && !list.includes("read") && !list.includes("admin"))
      throw new UsageError("--scope must have read or admin: the console needs one of them.");
    const server = typeof flags.server === "string" ? readServer(flags.server) : undefined;
    const keyId = flags.key === undefined ? undefined : readKeyId("--key", String(flags.key));
    const body = { ...(keyId !== undefined && { keyId }), ...(list && { scopes: list }) };
    const created = await withClient(readDatabase(flags), "server", (send) =>
      jsonOf<{ token: string; keyId: number; url?: string }>(
        send("/operator/console-links", { method: "POST", organization, body }),
      ),
    );
    // The browser does not send the fragment: the page posts the token and removes it from its address.
    const { host: hostname, port } = readAddress({});
    const url = server ?? created.url ?? urlOf({ hostname, port });
    const link = `${url}/console#link=${created.token}`;
    if (!flags.json) printError(`Key ${created.keyId}. The link signs in once, within 10 minutes:`);
    printResult(flags, { link, keyId: created.keyId }, link);
  },
};

export const consoleCommands: CommandGroup = {
  name: "console",
  summary: "Print a link that signs in to the console.",
  commands: [linkCommand],
};
