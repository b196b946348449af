export const valueTypes = ["string", "number", "boolean"] as const;
export type ValueType = (typeof valueTypes)[number];

const accountReferences = { accountExternalId: "string", accountId: "number" } as const;
/** The fields that a row of a file can have, for each resource, and the types of their values. */
export const importedFields = {
  accounts: {
    externalId: "string",
    name: "string",
    mrr: "number",
    status: "string",
    logoUrl: "string",
    contactActivityAt: "string",
  },
  contacts: { externalId: "string", ...accountReferences, name: "string", email: "string" },
  meetings: {
    externalId: "string",
    ...accountReferences,
    title: "string",
    startAt: "string",
    endAt: "string",
  },
  requests: {
    externalId: "string",
    ...accountReferences,
    title: "string",
    status: "string",
    severity: "number",
    requestedAt: "string",
    resolvedAt: "string",
  },
} as const;

/** The beginning of the field of an attribute: `attributes.plan`. */
export const attributePrefix = "attributes.";
const attributeName = /^[A-Za-z]\w{0,63}$/;
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

/** The field that rows of contacts, meetings and requests have, and accounts do not. */
export const accountReference = "accountExternalId";

/** A name of a column or a field without blanks, `_`, `-` and case. */
export function simplifyName(name: string): string {
  return name.replace(/[\s_-]/g, "").toLowerCase();
}

/** Whether a column is the reference to an account, which a file of accounts does not have. */
export function isAccountReference(name: string): boolean {
  return simplifyName(name) === simplifyName(accountReference);
}
