import { checkCommand } from "./check.ts";
import type { Command, CommandGroup } from "./command.ts";
import { copyCommand } from "./copy.ts";
import { exportCommand } from "./export.ts";
import { healthCommand } from "./health.ts";
import { importCommand } from "./import.ts";
import { jobCommands } from "./jobs.ts";
import { keyCommands } from "./keys.ts";
import { migrateCommand } from "./migrate.ts";
import { openapiCommand } from "./openapi.ts";
import { organizationCommands } from "./organizations.ts";
import { quickstartCommand } from "./quickstart.ts";
import { serveCommand } from "./serve.ts";
import { versionCommand } from "./version.ts";

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
