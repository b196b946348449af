import { healthSettings } from "./en/health-settings.ts";
import { overview } from "./en/overview.ts";
import { shell } from "./en/shell.ts";
import { unmatched } from "./en/unmatched.ts";

/** The texts of the console in English, by page. A text with values is a function of them. */
export const en = { healthSettings, overview, shell, unmatched };
