import { declaredTypes } from "../../db/schema.ts";
import { readDatabase } from "../config.ts";
import { OperatorError, UsageError } from "../core/settings/operator-error.ts";
import { isAttributeName } from "../shared/file-fields.ts";
import { jsonOf, withClient } from "./client.ts";
import type { Command, CommandGroup, CommandOptions } from "./command.ts";
import { databaseOption, organizationOption, readOrganization, readResource } from "./options.ts";
import { printList, printResult } from "./output.ts";

const attributedNames = ["accounts", "contacts"] as const;
const options: CommandOptions = {
  ...organizationOption,
  resource: {
    type: "string",
    value: "NAME",
    description: `whose attributes: ${attributedNames.join(" or ")} (default accounts)`,
  },
  ...databaseOption,
};

/** `label`, `description` and `pending` are of declared attributes. */
type PresentedAttribute = {
  name: string;
  type: string;
  count: number;
  label?: string | null;
  description?: string | null;
  pending?: boolean;
};

const listCommand: Command = {
  name: "attributes list",
  summary: "List the attributes of accounts or contacts with their types.",
  usage: "--organization NAME|ID [--resource NAME]",
  options,
  async run({ flags }) {
    const path = `/api/v1/attributes?resource=${readResource(flags, attributedNames)}`;
    const organization = readOrganization(flags);
    const { data } = await withClient(readDatabase(flags), "read", (send) =>
      jsonOf<{ data: PresentedAttribute[] }>(send(path, { organization })),
    );
    const rows = data.map(({ name, type, count, label = null, pending = null }) => ({
      ...{ name, type, count, label, pending },
    }));
    printList(flags, rows, ["name", "type", "count", "label", "pending"]);
  },
};

const setTypeCommand: Command = {
  name: "attributes set-type",
  summary: "Set the type of an attribute.",
  usage: "NAME TYPE --organization NAME|ID [--resource NAME] [--convert]",
  arguments: ["The attribute's NAME", "The TYPE"],
  options: {
    ...options,
    convert: {
      type: "boolean",
      description: "convert stored texts; without it, values of another type are an error",
    },
  },
  examples: ["attributes set-type seats number --organization Acme --convert"],
  async run({ positionals: [name = "", type = ""], flags }) {
    if (!isAttributeName(name))
      throw new UsageError(
        "The attribute's NAME must be 1 to 64 letters, digits and underscores, and begin with a letter.",
      );
    if (!declaredTypes.some((declared) => declared === type))
      throw new UsageError(`The TYPE must be ${declaredTypes.join(", ")}.`);
    const resource = readResource(flags, attributedNames);
    const organization = readOrganization(flags);
    const query = `?resource=${resource}`;
    const { attribute, isNew } = await withClient(readDatabase(flags), "write", async (send) => {
      const { data: listed } = await jsonOf<{ data: PresentedAttribute[] }>(
        send(`/api/v1/attributes${query}`, { organization }),
      );
      // PUT replaces them.
      const existing = listed.find((other) => other.name === name);
      const { label = null, description = null } = existing ?? {};
      const convert = flags.convert === true;
      const body = { type, label, description, convert };
      const { data } = await jsonOf<{ data: PresentedAttribute }>(
        send(`/api/v1/attributes/${name}${query}`, { method: "PUT", organization, body }),
      ).catch((error: unknown) => {
        throw withOption(error, convert);
      });
      return { attribute: data, isNew: !existing };
    });
    const text = attribute.pending ? "A job of the server converts its texts." : "";
    const subject = isNew ? "is a new attribute, of" : "has";
    printResult(
      flags,
      attribute,
      `attributes.${name} of ${resource} ${subject} the type ${type}. ${text}`.trim(),
    );
  },
};

/** The error with the option of the command instead of the member of the body, or without it if it was written. */
function withOption(error: unknown, convert: boolean): unknown {
  if (error instanceof OperatorError)
    error.message = error.message.replace(
      / With convert: true, (.*?\.)/,
      convert ? "" : " With --convert, $1",
    );
  return error;
}

export const attributeCommands: CommandGroup = {
  name: "attributes",
  summary: "List attributes and set their types.",
  commands: [listCommand, setTypeCommand],
};
