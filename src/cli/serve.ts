import { readServerConfig } from "../config.ts";
import {
  addressSettings,
  connectionSettings,
  type Settings,
  serverSettings,
  variableOf,
} from "../core/settings/settings.ts";
import { version } from "../version.ts";
import type { Command, CommandOptions } from "./command.ts";
import { databaseOption } from "./options.ts";
import { printNotice } from "./output.ts";

/** The options of settings, with their variables, limits and defaults. */
export function optionsOf(settings: Settings): CommandOptions {
  const options = Object.entries(settings).flatMap(([flag, setting]) => {
    const { value, description, limits, note, shownDefault = setting.default || "none" } = setting;
    if (description === undefined) return [];
    const values = [limits, `default ${shownDefault}`].filter((text) => text !== undefined).join(", ");
    const variable = value === undefined ? `${variableOf(flag)}=true` : `${variableOf(flag)}; ${values}`;
    const text = `${description} (${variable})${note === undefined ? "" : `. ${note}`}`;
    return [[flag, { type: value === undefined ? "boolean" : "string", value, description: text }] as const];
  });
  return Object.fromEntries(options);
}

export const serverOptions: CommandOptions = {
  ...databaseOption,
  ...optionsOf(addressSettings),
  ...optionsOf(serverSettings),
  ...optionsOf(connectionSettings),
};

export const serveCommand: Command = {
  name: "serve",
  summary: "Serve the API until the process is stopped (SIGTERM, SIGINT, or a closed terminal).",
  usage: "[--port PORT] [--host HOST] [--database FILE]",
  options: serverOptions,
  examples: [
    "serve",
    "serve --host 0.0.0.0 --port 8080 --database /var/lib/accountd/accountd.db",
    "serve --rate-limit 600 --trusted-proxies 127.0.0.1",
    "serve --database postgres://accountd@db.internal/accountd",
  ],
  async run({ flags }) {
    // Loaded here, because the app takes longer to load than other commands take to run.
    const { runServer } = await import("../server/run.ts");
    await runServer({
      config: readServerConfig(flags),
      clock: Date.now,
      onReady: async (url) =>
        printNotice(flags.json ? JSON.stringify({ version, url }) : `accountd ${version} serves ${url}`),
    });
  },
};
