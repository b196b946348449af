import { type TObject, Type } from "@sinclair/typebox";
import type { Problem } from "../core/errors.ts";
import { type ParsedBody, releaseBody } from "../http/body/body.ts";
import { readItems, validateEach } from "../http/validation/items.ts";
import { createMemberValidator } from "../http/validation/member-validator.ts";
import { choice, requiredExternalId } from "../http/validation/shapes.ts";
import { subResourceShapes } from "../resource-shapes.ts";
import { ofSubResources } from "../resources.ts";
import { type SubResourceName, subResourceNames } from "../shared/resources.ts";
import type { ImportedRow } from "./store.ts";

export const ImportPath = Type.Object({ resource: choice(subResourceNames) });

/** The row is created or updated as by PUT: an update leaves absent members unchanged. */
const validatorOf = ({ properties }: TObject) =>
  createMemberValidator(Type.Object({ externalId: requiredExternalId, ...properties }));
const validators = ofSubResources((name) => validatorOf(subResourceShapes[name].bodies.put));

/** Validates the rows of a body one by one: the result has the problem of each invalid one. */
export function readImportedRows(
  resource: SubResourceName,
  parsedBody: ParsedBody,
): Promise<(ImportedRow | Problem)[]> {
  const rows = readItems({ ...releaseBody(parsedBody) }, resource);
  // Safe: valid by the schema of the resource.
  return validateEach(
    rows,
    resource,
    (row) => validators[resource](withoutNullReference(row), false) as ImportedRow,
  );
}

/** An exported row of an account without an external id has null for it, and the account's id. */
function withoutNullReference(row: unknown): unknown {
  if (typeof row !== "object" || row === null || !("accountExternalId" in row)) return row;
  const { accountExternalId, ...others } = row;
  return accountExternalId === null ? others : row;
}
