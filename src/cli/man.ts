import { version } from "../version.ts";
import { isGroup } from "./arguments.ts";
import { type Command, type CommandGroup, type CommandOptions, commonOptions } from "./command.ts";

/** The manual page of section 1, in the man macros of roff, from the declarations of the commands. */
export function manualPage(entries: readonly (Command | CommandGroup)[]): string {
  const commands = entries.flatMap((entry) => (isGroup(entry) ? entry.commands : [entry]));
  return [
    `.TH ACCOUNTD 1 "" "accountd ${version}" "User Commands"`,
    ".SH NAME",
    String.raw`accountd \- multi-tenant HTTP API for customer accounts`,
    ".SH SYNOPSIS",
    ".B accountd",
    ".I COMMAND",
    "[OPTIONS]",
    ".SH DESCRIPTION",
    line(
      "One binary with an HTTP API and a console for customer accounts, on a SQLite file or a PostgreSQL database. Each option of a setting is also an environment variable, named in parentheses, and can be in a TOML file (--config). A flag has priority over a variable, and a variable over the file.",
    ),
    ".SH OPTIONS OF EVERY COMMAND",
    ...optionLines(commonOptions),
    ".SH COMMANDS",
    ...commands.flatMap(({ name, usage, summary, options, examples = [] }) => [
      `.SS ${line(`accountd ${name} ${usage}`.trimEnd())}`,
      line(summary),
      ...optionLines(options),
      ...(examples.length === 0
        ? []
        : [".PP", "Examples:", ".PP", ".nf", ...examples.map((text) => line(`accountd ${text}`)), ".fi"]),
    ]),
    ".SH EXIT STATUS",
    ".TP\n0\nDone.\n.TP\n1\nFailed.\n.TP\n2\nWrong usage.",
    ".SH SEE ALSO",
    line("The guides of a running server, at /docs/guides/operations."),
  ].join("\n");
}

function optionLines(options: CommandOptions): string[] {
  return Object.entries(options).flatMap(([name, { short, value, description }]) => {
    const flag = value === undefined ? `--${name}` : `--${name} ${value}`;
    return [".TP", `.B ${line(short === undefined ? flag : `${flag}, -${short}`)}`, line(description)];
  });
}

/** Text as a line of roff, which shows backslashes and dashes as they are, and no leading dot as a request. */
function line(text: string): string {
  return text.replaceAll("\\", "\\(rs").replaceAll("-", "\\-").replace(/^[.']/, "\\&$&");
}
