import { type FileRows, fieldsOf, fileRows } from "./resources.ts";

export const valueTypes = ["string", "number", "boolean"] as const;
export type ValueType = (typeof valueTypes)[number];

/** What the texts of a column are read as. A date is a text in JSON. */
export type CellType = ValueType | "date";

/** The type in JSON of the values of a type that callers declare. */
export function valueTypeOf(type: CellType): ValueType {
  return type === "date" ? "string" : type;
}

/** The field that rows of sub-resources have, and accounts do not. */
export const accountReference = "accountExternalId";

const accountReferences: Record<string, CellType> = { [accountReference]: "string", accountId: "number" };

/** The parts of the name of a contact that has none in one column. */
const nameParts = { firstName: "string", lastName: "string" } as const;

export function isNamePart(field: string): boolean {
  return Object.hasOwn(nameParts, field);
}

/** The types of fields in files by their kinds. Default: texts. */
const kindTypes: Readonly<Record<string, CellType>> = {
  number: "number",
  integer: "number",
  timestamp: "date",
};

/** The fields that a row of a file can have, for each kind of rows, and the types of their values. */
// Safe: the names of all kinds.
export const importedFields = Object.fromEntries(
  fileRows.map((name) => [name, fileFieldsOf(name)]),
) as Record<FileRows, Readonly<Record<string, CellType>>>;

function fileFieldsOf(resource: FileRows): Record<string, CellType> {
  const types: Record<string, CellType> = {};
  if (resource !== "accounts" && resource !== "usage-days") Object.assign(types, accountReferences);
  if (resource === "contacts") Object.assign(types, nameParts);
  for (const [name, { kind, input }] of Object.entries(fieldsOf(resource)))
    if (input && kind !== "attributes") types[name] = kindTypes[kind] ?? "string";
  return { externalId: "string", ...types };
}

/** The values of a field with a fixed list, and whether null clears it: attributes are removed. */
export function limitsOfField(
  resource: FileRows,
  field: string,
): { choices: readonly string[] | undefined; isNullable: boolean } {
  const { values, isNullable = false, input } = fieldsOf(resource)[field] ?? {};
  const isKey = field === "externalId";
  return {
    choices: values,
    isNullable:
      field.startsWith(attributePrefix) || isNamePart(field) || (!isKey && (input?.isNullable ?? isNullable)),
  };
}

/** The beginning of the field of an attribute: `attributes.plan`. */
export const attributePrefix = "attributes.";
/** The pattern of the name of an attribute, without anchors. */
export const attributeNamePattern = "[A-Za-z][A-Za-z0-9_]{0,63}";
const attributeName = new RegExp(`^${attributeNamePattern}$`);
const attributeColumn = new RegExp(`^attributes\\.([^:]+)(?::(${valueTypes.join("|")}))?$`);

export function isAttributeName(text: string): boolean {
  return attributeName.test(text);
}

/** The attribute of a column such as `attributes.plan` or `attributes.seats:number`. */
export function attributeOf(column: string): { attribute: string; type: ValueType | undefined } | undefined {
  const [, attribute = "", type] = attributeColumn.exec(column) ?? [];
  // Safe: the types of the expression.
  return isAttributeName(attribute) ? { attribute, type: type as ValueType | undefined } : undefined;
}

/** A name of a column or a field without blanks, `_`, `-` and case. */
export function simplifyName(name: string): string {
  return name.replace(/[\s_-]/g, "").toLowerCase();
}

/** Whether a column is the reference to an account, which a file of accounts does not have. */
export function isAccountReference(name: string): boolean {
  return simplifyName(name) === simplifyName(accountReference);
}
