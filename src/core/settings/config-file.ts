import { readFileSync } from "node:fs";
import { suggestion } from "../did-you-mean.ts";
import { invalidSetting } from "./kinds.ts";
import { UsageError } from "./operator-error.ts";
import { allSettings } from "./settings.ts";

/** What a file can set, as the flags without their dashes. */
const settingNames = ["database", ...Object.keys(allSettings)];

/**
 * The settings of a TOML file, as the texts that flags would have. Lists are arrays or comma lists. Throws UsageError,
 * which never repeats a value: it may be the URL of a database with a password.
 */
export function readConfigFile(path: string): Map<string, string> {
  return new Map(
    Object.entries(parseToml(path, readText(path))).map(([name, value]) => {
      if (!settingNames.includes(name))
        throw invalidSetting(`${path} has an unknown setting: ${name}.${suggestion(name, settingNames)}`);
      const text = textOf(value, allSettings[name]?.value === "MODE");
      if (text === undefined)
        throw invalidSetting(`${name} in ${path} must be a text, a number, true, false, or a list of texts.`);
      allSettings[name]?.parse(text, `${name} in ${path}`);
      return [name, text];
    }),
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`${path} of --config cannot be read.`, "unreadable_file");
  }
}

function parseToml(path: string, text: string): object {
  try {
    return Bun.TOML.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/: ".*$/s, "") : "";
    throw invalidSetting(`${path} is not valid TOML. ${message.replace(/^TOML Parse error: /, "")}.`);
  }
}

/** The text of a value; of `on` and `off` for a mode. Undefined for a table, and a list of anything but texts. */
function textOf(value: unknown, isMode: boolean): string | undefined {
  if (typeof value === "boolean" && isMode) return value ? "on" : "off";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? value.join(",") : undefined;
}
