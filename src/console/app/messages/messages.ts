/** The texts of the console; another language is another file of this form. */
export * as messages from "./en.ts";
