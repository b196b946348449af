import { UsageError } from "../core/settings/operator-error.ts";
import type { JsonObject } from "../shared/json.ts";
import type { Command, Invocation } from "./command.ts";
import { print } from "./output.ts";

export const openapiCommand: Command = {
  name: "openapi",
  summary: "Print the OpenAPI document.",
  usage: "[--server URL] [--tag TAG] [--operations ID]",
  options: {
    server: {
      type: "string",
      value: "URL",
      description: "the address of the server, for servers of the document (default: none)",
    },
    tag: {
      type: "string",
      value: "TAG",
      joinedBy: ",",
      description: "the operations of these tags only: several by comma, or repeated",
    },
    operations: {
      type: "string",
      value: "ID",
      joinedBy: ",",
      description: "the operations with these ids only: several by comma, or repeated",
    },
  },
  examples: [
    "openapi --server https://accounts.example.com > openapi.json",
    "openapi --tag Accounts,Health --operations sendEvents",
  ],
  async run({ flags }) {
    const servers = typeof flags.server === "string" ? [{ url: readServer(flags.server) }] : undefined;
    const { describeApp } = await import("../app.ts");
    const { openapi = "", ...document } = await select(describeApp(), flags);
    print(JSON.stringify({ openapi, ...(servers && { servers }), ...document }, null, 2));
  },
};

/** The address without a slash at its end, because the paths of the document begin with one. Throws UsageError. */
export function readServer(text: string): string {
  const isValid = /^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/i.test(text) && URL.canParse(text);
  if (!isValid) throw new UsageError("--server must be an address such as https://accounts.example.com.");
  return new URL(text).href.replace(/\/+$/, "");
}

/** The part of the document that the flags select. Throws UsageError, with the valid names, for an unknown name. */
async function select(document: JsonObject, { tag, operations }: Invocation["flags"]): Promise<JsonObject> {
  const { readSelection, selectOperations } = await import("../http/openapi/selection.ts");
  const { asProblem } = await import("../core/errors.ts");
  const query = new URLSearchParams();
  if (tag !== undefined) query.set("tag", String(tag));
  if (operations !== undefined) query.set("operations", String(operations));
  const selection = readSelection(query);
  try {
    return selection ? selectOperations(document, selection) : document;
  } catch (error) {
    const [violation] = asProblem(error).errors;
    if (!violation || !("parameter" in violation)) throw error;
    throw new UsageError(`--${violation.parameter} ${violation.detail}.`);
  }
}
