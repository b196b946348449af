import { en } from "./en.ts";

/** A language is a file such as `en.ts` of this type, and a line of `languages`. */
export type Messages = typeof en;
const languages: Readonly<Record<string, Messages>> = { en };

/** The language of the texts: that of the browser, or English if there is no file of it. */
export const language = Object.hasOwn(languages, browserLanguage()) ? browserLanguage() : "en";
export const messages: Messages = languages[language] ?? en;

/** Tests have no browser. */
function browserLanguage(): string {
  return String(navigator.language).slice(0, 2);
}
