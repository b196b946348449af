import { type TObject, Type } from "@sinclair/typebox";
import { AccountPutBody } from "../accounts/input.ts";
import { contactBodies } from "../contacts/input.ts";
import { asProblem, type Problem } from "../core/errors.ts";
import type { FileResource } from "../core/file-resources.ts";
import { requestBodies } from "../feature-requests/input.ts";
import { validateItems } from "../http/validation/items.ts";
import { MemberValidator } from "../http/validation/member-validator.ts";
import { externalId, text } from "../http/validation/shapes.ts";
import { meetingBodies } from "../meetings/input.ts";
import type { ImportedRow } from "./store.ts";

/** The row is created or updated as by PUT: an update leaves absent members unchanged. */
const validatorOf = ({ properties }: TObject) =>
  new MemberValidator(Type.Object({ externalId: text({ ...externalId, minLength: 1 }), ...properties }));
const validators: Record<FileResource, MemberValidator> = {
  accounts: validatorOf(AccountPutBody),
  contacts: validatorOf(contactBodies.put),
  meetings: validatorOf(meetingBodies.put),
  requests: validatorOf(requestBodies.put),
};

/** Validates rows one by one: the result has the problem of each invalid one. Yields to the event loop. */
export function readImportedRows(
  resource: FileResource,
  rows: readonly unknown[],
): Promise<(ImportedRow | Problem)[]> {
  return validateItems(rows, (row) => {
    try {
      // Safe: valid by the schema of the resource.
      return validators[resource].validate(withoutNullReference(row), false) as ImportedRow;
    } catch (error) {
      return asProblem(error);
    }
  });
}

/** An exported row of an account without an external id has null for it, and the account's id. */
function withoutNullReference(row: unknown): unknown {
  if (typeof row !== "object" || row === null || !("accountExternalId" in row)) return row;
  const { accountExternalId, ...others } = row;
  return accountExternalId === null ? others : row;
}
