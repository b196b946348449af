/** The languages that have texts. */
const languages = ["en"] as const;
export type Language = (typeof languages)[number];

/** The language of the texts: the browser's, or English if there are no texts in it. Tests have no browser. */
export const language: Language =
  languages.find((name) => name === String(navigator.language).slice(0, 2)) ?? "en";
