/** The page of the organization's settings. */
export const organization = {
  title: "Organization",
  lead: "How everyone in your organization sees amounts and numbers. Dates keep the format of each person's browser.",
  form: "Currency and number format",
  currency: "Currency of MRR",
  noCurrency: "None: amounts are plain numbers",
  currencyOption: (code: string, name: string) => `${code} – ${name}`,
  numberFormat: "Number format",
  browserFormat: (example: string) => `As in each person's browser: ${example} here`,
  formatOption: (language: string, example: string) => `${language}: ${example}`,
  example: "An amount with these settings",
  noConversion: "Stored amounts do not change.",
};
