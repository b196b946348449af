import { UsageError } from "../core/settings/operator-error.ts";
import type { Command } from "./command.ts";
import { print } from "./output.ts";

export const openapiCommand: Command = {
  name: "openapi",
  summary: "Print the OpenAPI document.",
  usage: "[--server URL]",
  options: {
    server: {
      type: "string",
      value: "URL",
      description: "the address of the server, for servers of the document (default: none)",
    },
  },
  examples: ["openapi --server https://accounts.example.com > openapi.json"],
  async run({ flags }) {
    const servers = typeof flags.server === "string" ? [{ url: readServer(flags.server) }] : undefined;
    const { describeApp } = await import("../app.ts");
    const { openapi = "", ...document } = describeApp();
    print(JSON.stringify({ openapi, ...(servers && { servers }), ...document }, null, 2));
  },
};

/** The address without a slash at its end, because the paths of the document begin with one. Throws UsageError. */
function readServer(text: string): string {
  const isValid = /^https?:\/\/[^/?#@]+(?:\/[^?#]*)?$/i.test(text) && URL.canParse(text);
  if (!isValid) throw new UsageError("--server must be an address such as https://accounts.example.com.");
  return new URL(text).href.replace(/\/+$/, "");
}
