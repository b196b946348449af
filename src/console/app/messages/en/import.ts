import type { accountFields } from "../../../../shared/fields/accounts.ts";
import type { InputName } from "../../../../shared/fields/field.ts";

/** The import of accounts from a file. */
export const importing = {
  title: "Import",
  file: {
    label: "CSV file",
    choose: "Drop a CSV file here, or choose one",
    again: "Drop or choose another file to start again.",
    hint: "The first line has the names of the columns. An account whose external id is known is updated, any other is created. The browser reads the file and sends it in parts.",
    reading: "Reading the file…",
    unreadable: "The file cannot be read.",
    encoding: "Encoding",
    is: (what: string) => `This file ${what}`,
    noHeader: "This file has no header with the names of its columns.",
  },
  guide: {
    title: "What can be imported",
    fields: {
      externalId: "The id of the customer in your own systems. Required: by it an account is found again.",
      name: "Required for a new account.",
      mrr: "Monthly recurring revenue, such as 1250.50, 1.250,50 or $900.",
      status: "Active, onboarding, churned or inactive.",
      logoUrl: "An http or https address of an image.",
      contactActivityAt:
        "The last activity: a date, or a date and time. It is pinned: later meetings and events do not change it.",
    } satisfies Record<Exclude<InputName<typeof accountFields>, "attributes">, string>,
    attributesText: "Your own fields, such as plan or owner: a text, a number, a date, or yes and no.",
    hint: "Columns are recognized by these names and by common other ones, and can be chosen by hand. Commas, semicolons, tabs or pipes separate the fields; the file is UTF-8, UTF-16 or Windows-1252. An empty field changes nothing, unless you choose that it clears the value. An export of the accounts can be imported again.",
  },
  columns: {
    title: "Columns",
    column: "Column",
    firstValues: "First values",
    importedAs: "Imported as",
    importedAsOf: (column: string) => `${column}: imported as`,
    notImported: "Not imported",
    attributeNameOf: (column: string) => `${column}: name of the attribute`,
    attributeTypeOf: (column: string) => `${column}: type of the attribute`,
    unnamed: (number: number) => `Column ${number}`,
    single:
      "The file has one column. If another character separates its columns, write it in a first line such as sep=:.",
  },
  faults: {
    twice: (one: string, other: string, field: string) =>
      `${one} and ${other} are both imported as ${field}. Choose one of them.`,
    attributeName: (column: string) =>
      `The attribute of ${column} needs a name of 1 to 64 letters, digits and underscores that begins with a letter.`,
    other: (reason: string) => `${reason} This page imports accounts. Use accountd import --resource.`,
    perhapsOther: (reason: string, column: string, resource: string) =>
      `${reason} This page imports accounts. Use accountd import --resource ${resource}, or choose what ${column} is imported as.`,
    noKey: (field: string) => `Choose the column that is imported as ${field}.`,
  },
  formats: {
    numbers: "Numbers",
    dates: "Dates",
    asInFile: (format: string) => `As in the file: ${format}`,
    notClear: "not clear",
    dateNames: { iso: "2026-11-01", dmy: "01.11.2026 (day first)", mdy: "11/01/2026 (month first)" },
    dateAdvice: "choose under Columns how dates are written",
    isEmptyCleared: "Empty cells clear values",
    unknownValues: (column: string, field: string) =>
      `${column} has values that are not known as ${field}. Choose what each becomes:`,
    valuesOf: (column: string) => `Values of ${column}`,
    value: "Value",
    rejected: "Rejected",
    empty: "Empty",
  },
  preview: {
    title: "Preview of the first rows",
    name: "Preview",
    line: "Line",
    result: "Result",
    noRows: "The file has no rows",
    results: { created: "New account", updated: "Update", unchanged: "No change" },
    rejected: "Rejected:",
  },
  run: {
    ignored: (columns: string) => `Not imported: ${columns}`,
    asAttributes: "Import as attributes",
    title: "Dry run and import",
    start: "Import",
    dryRun: "Dry run of all rows",
    dryRunHint: "A dry run makes the same checks and stores nothing.",
    cancel: "Cancel",
    importProgress: "Import",
    dryRunProgress: "Dry run",
    starting: "Starting",
    rows: (count: string) => `${count} rows`,
    rate: (count: string) => `${count} rows per second`,
    left: (time: string) => `${time} left`,
    leave: {
      title: "Leave this page?",
      endDryRun: "End the dry run and leave",
      endImport: "End the import and leave",
      dryRun: "A dry run is running. Leaving the page ends it.",
      import:
        "An import is running. Leaving the page ends it: rows that are stored stay stored, and the same file can be imported again.",
    },
  },
  results: {
    title: "Results",
    counts: { created: "created", updated: "updated", unchanged: "unchanged", rejected: "rejected" },
    dryRunCounts: {
      created: "would be created",
      updated: "would be updated",
      unchanged: "unchanged",
      rejected: "would be rejected",
    },
    cancelled: "Cancelled. No row was sent.",
    dryRunDone: "The dry run has read all rows. Nothing was stored.",
    dryRunEnded: "The dry run ended early. Nothing was stored.",
    done: "The import is complete.",
    ended:
      "The import ended early. The rows counted here are stored. Import the file again to continue: these rows are unchanged then.",
    show: "Show what was changed, the latest first",
    rejected: "Rejected rows",
    download: "Download rejected rows",
    line: "Line",
    reason: "Reason",
    first: (shown: number, count: string) => `These are the first ${shown}. The download has all ${count}.`,
  },
};
