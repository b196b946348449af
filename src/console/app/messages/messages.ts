import * as en from "./en.ts";
import { type Language, language } from "./language.ts";

/** A language is a name in `language.ts`, and a file such as `en.ts` of this type. */
export type Messages = typeof en;
const texts: Readonly<Record<Language, Messages>> = { en };

export const messages: Messages = texts[language];
