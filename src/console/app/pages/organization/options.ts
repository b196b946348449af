import { formatAmountIn, language } from "../../format.ts";
import { organization as text } from "../../messages/messages.ts";

const currencyNames = new Intl.DisplayNames(language, { type: "currency" });
const localeNames = new Intl.DisplayNames(language, { type: "language", languageDisplay: "standard" });

/** Locales of many customers, and of each form of numbers. */
export const suggestedFormats: readonly string[] =
  "en-US en-GB en-IN de-DE de-AT de-CH es-ES fr-FR it-IT ja-JP nl-NL pl-PL pt-BR sv-SE".split(" ");

/** The value and the text of a currency: `EUR`, "EUR – Euro". */
export function currencyOption(code: string): [string, string] {
  return [code, text.currencyOption(code, currencyNames.of(code) ?? code)];
}

/** The value and the text of a number format: `de-DE`, "German (Germany): 1.234,50"; null: the browser's. */
export function formatOption(tag: string | null, example: number): [string, string] {
  const shown = formatAmountIn({ currency: null, numberFormat: tag }, example);
  if (tag === null) return ["", text.browserFormat(shown)];
  // `baseName`: without extensions, such as the digits in `ar-u-nu-latn`.
  return [tag, text.formatOption(localeNames.of(new Intl.Locale(tag).baseName) ?? tag, shown)];
}
