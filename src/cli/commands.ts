import { version } from "../version.ts";
import { checkCommand } from "./check.ts";
import type { Command, CommandGroup } from "./command.ts";
import { copyCommand } from "./copy.ts";
import { exportCommand } from "./export.ts";
import { healthCommand } from "./health.ts";
import { importCommand } from "./import.ts";
import { jobCommands } from "./jobs.ts";
import { keyCommands } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { organizationCommands } from "./organizations.ts";
import { print } from "./output.ts";
import { quickstartCommand } from "./quickstart.ts";
import { serveCommand } from "./serve.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "Print the version.",
  usage: "",
  options: {},
  async run({ flags }) {
    print(flags.json ? JSON.stringify({ version }) : version);
  },
};

const openapiCommand: Command = {
  name: "openapi",
  summary: "Print the OpenAPI document.",
  usage: "",
  options: {},
  examples: ["openapi > openapi.json"],
  async run() {
    const { describeApp } = await import("../app.ts");
    print(JSON.stringify(await describeApp(), null, 2));
  },
};

/** Every command, in the order of the help. */
export const entries: readonly (Command | CommandGroup)[] = [
  quickstartCommand,
  serveCommand,
  organizationCommands,
  keyCommands,
  importCommand,
  exportCommand,
  migrateCommand,
  jobCommands,
  copyCommand,
  checkCommand,
  healthCommand,
  openapiCommand,
  versionCommand,
];
