import { version } from "../version.ts";
import { allOptions, isGroup } from "./arguments.ts";
import { attributeCommands } from "./attributes.ts";
import { backupCommand } from "./backup.ts";
import { checkCommand } from "./check.ts";
import type { Command, CommandGroup, CommandOption } from "./command.ts";
import { completionCommand } from "./completion/command.ts";
import { configCommand } from "./config.ts";
import { consoleCommands } from "./console.ts";
import { copyCommand } from "./copy.ts";
import { doctorCommand } from "./doctor/command.ts";
import { exportCommand } from "./export.ts";
import { healthCommand } from "./health.ts";
import { importCommand } from "./import.ts";
import { jobCommands } from "./jobs.ts";
import { keyCommands } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { openapiCommand } from "./openapi.ts";
import { organizationCommands } from "./organizations.ts";
import { print, table } from "./output.ts";
import { quickstartCommand } from "./quickstart.ts";
import { restoreCommand } from "./restore.ts";
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

/** Every command, in the order of the help. */
export const entries: readonly (Command | CommandGroup)[] = [
  quickstartCommand,
  serveCommand,
  organizationCommands,
  keyCommands,
  consoleCommands,
  importCommand,
  exportCommand,
  attributeCommands,
  migrateCommand,
  jobCommands,
  copyCommand,
  backupCommand,
  restoreCommand,
  checkCommand,
  doctorCommand,
  healthCommand,
  configCommand,
  openapiCommand,
  completionCommand(() => entries),
  versionCommand,
];

export function overviewHelp(entries: readonly (Command | CommandGroup)[]): string {
  return [
    `accountd ${version}: a multi-tenant HTTP API for customer accounts. One binary; a SQLite file, or PostgreSQL.`,
    "",
    "Usage: accountd COMMAND [OPTIONS]",
    "",
    "Commands:",
    table(entries.map(({ name, summary }) => [`  ${name}`, summary])),
    "",
    "Options:",
    table([
      ["  --help, -h", "print this help; after a command, the help of that command"],
      ["  --version, -v", "print the version"],
      ["  --man", "after help: print the manual page, for man -l -"],
      ["  --config FILE", "a TOML file of settings; accountd config prints what results"],
      ["  --json", "print JSON, errors included"],
    ]),
    "",
    "The API's documentation is at /docs of a running server (http://127.0.0.1:3000/docs).",
    "A running server has the guide to its operation at /docs/guides/operations.",
  ].join("\n");
}

/** What `--help` prints for a command, and for a group of commands. */
export function commandHelp(entry: Command | CommandGroup): string {
  const commands = isGroup(entry) ? entry.commands : [entry];
  const examples = commands.flatMap((command) => command.examples ?? []);
  return [
    entry.summary,
    "",
    "Usage:",
    ...commands.map(({ name, usage }) => `  accountd ${name} ${usage}`.trimEnd()),
    "",
    "Options:",
    table(Object.entries(allOptions(commands)).map(optionCells)),
    ...(examples.length > 0 ? ["", "Examples:", ...examples.map((line) => `  accountd ${line}`)] : []),
  ].join("\n");
}

function optionCells([name, { short, value, description }]: [string, CommandOption]): [string, string] {
  const long = value === undefined ? `--${name}` : `--${name} ${value}`;
  return [short === undefined ? `  ${long}` : `  ${long}, -${short}`, description];
}
