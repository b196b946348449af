import { UsageError } from "../../core/settings/operator-error.ts";
import { encodingOf, type FileEncoding, fileEncodings } from "../../shared/imports/encodings.ts";
import { dateFormats } from "../../shared/imports/formats/dates.ts";
import { type ColumnValues, parseColumnValues } from "../../shared/imports/formats/values.ts";
import type { FileRows } from "../../shared/resources.ts";
import type { Invocation } from "../command.ts";
import { readChoice } from "../options.ts";
import { type ImportMap, parseMap } from "./map.ts";

/** What the options of an import choose. Throws UsageError. */
export function readMap(flags: Invocation["flags"], resource: FileRows): Omit<ImportMap, "attributeTypes"> {
  const decimal = readChoice(flags, "decimal", ["point", "comma"] as const);
  const dates = readChoice(flags, "dates", dateFormats);
  const empty = readChoice(flags, "empty", ["keep", "clear"] as const);
  return {
    resource,
    entries: typeof flags.map === "string" ? parseMap(flags.map, resource) : [],
    isGuessed: flags["no-guess"] !== true,
    isResourceChosen: flags.resource !== undefined,
    formats: { decimal, dates, isEmptyCleared: empty === "clear" },
    values: readValues(flags),
  };
}

function readValues({ values }: Invocation["flags"]): ColumnValues[] {
  if (typeof values !== "string") return [];
  const columns = parseColumnValues(values);
  if (columns) return columns;
  throw new UsageError(
    '--values must be COLUMN: VALUE=OTHER, VALUE=OTHER, such as "Status: Cancelled=churned, trialing=onboarding". A ; begins another column. A value with , or ; or = is in quotes, and is written once.',
  );
}

/** The value of `--encoding`. Throws UsageError. */
export function readEncoding({ encoding: label }: Invocation["flags"]): FileEncoding | undefined {
  if (typeof label !== "string") return undefined;
  const encoding = encodingOf(label);
  if (encoding) return encoding;
  throw new UsageError(`--encoding must be ${fileEncodings.join(", ")}, or another label of one of these.`);
}
