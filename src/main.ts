import "./production.ts";
import { checkCommand } from "./cli/check.ts";
import { type Command, columns, helpOf, print, printError, readArguments } from "./cli/command.ts";
import { healthCommand } from "./cli/health.ts";
import { keysCommand } from "./cli/keys.ts";
import { migrateCommand } from "./cli/migrate.ts";
import { openapiCommand } from "./cli/openapi.ts";
import { organizationsCommand } from "./cli/organizations.ts";
import { quickstartCommand } from "./cli/quickstart.ts";
import { serveCommand } from "./cli/serve.ts";
import { versionCommand } from "./cli/version.ts";
import { UsageError } from "./config.ts";

const commands: Command[] = [
  serveCommand,
  quickstartCommand,
  organizationsCommand,
  keysCommand,
  migrateCommand,
  checkCommand,
  healthCommand,
  openapiCommand,
  versionCommand,
];

const [name, ...given] = process.argv.slice(2);
process.exit(await main(name, given));

/** Runs the command and returns its exit code: 0 done, 1 failed, 2 not understood. */
async function main(name: string | undefined, given: string[]): Promise<number> {
  if (name === "help" && given[0] !== undefined) return main(given[0], ["--help"]);
  if (name === "--help" || name === "-h" || name === "help") {
    print(overview());
    return 0;
  }
  if (name === "--version") return main("version", given);
  const command = commands.find((one) => one.name === name);
  if (!command) {
    printError(
      name === undefined ? overview() : `accountd has no command ${name}. accountd --help lists them.`,
    );
    return 2;
  }
  try {
    const invocation = readArguments(command, given);
    if (invocation.flags.help) print(helpOf(command));
    else await command.run(invocation);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`${error.message}\naccountd ${command.name} --help shows what it takes.`);
      return 2;
    }
    // Whoever reads the output has seen enough.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return 1;
    printError(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

function overview(): string {
  const lines = commands.map((command) => [`  ${command.name}`, command.summary]);
  return `Keeps customer accounts: one binary, one SQLite file.\n\nUsage: accountd COMMAND [--help]\n\n${columns(lines)}`;
}
