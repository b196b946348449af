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
