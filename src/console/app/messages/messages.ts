import { en } from "./en.ts";

/** A language is a file such as `en.ts` of this type, and a line of `languages`. */
export type Messages = typeof en;
const languages: Readonly<Record<string, Messages>> = { en };

/** The texts of the console in the language of the browser; in English if there is no file of it. */
export const messages: Messages = languages[String(navigator.language).slice(0, 2)] ?? en;
