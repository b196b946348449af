import { shell } from "./en/shell.ts";

/** The texts of the console in English, by page. A text with values is a function of them. */
export const en = { shell };
