import { type Static, type TObject, Type } from "@sinclair/typebox";
import { invalidField, type Problem } from "../core/errors.ts";
import { dayOf, parseTimestamp } from "../core/timestamps.ts";
import { type ParsedBody, releaseBody } from "../http/body/body.ts";
import { readItems, validateEach } from "../http/validation/items.ts";
import { createMemberValidator } from "../http/validation/member-validator.ts";
import { choice, integer, requiredExternalId, text } from "../http/validation/shapes.ts";
import { subResourceShapes } from "../resource-shapes.ts";
import { ofSubResources } from "../resources.ts";
import { operatorFileRows, type SubResourceName } from "../shared/resources.ts";
import type { ImportedRow } from "./store.ts";
import type { ImportedDay } from "./usage-days.ts";

export const ImportPath = Type.Object({ resource: choice(operatorFileRows) });
export type ImportedRows = Static<typeof ImportPath>["resource"];

const importedOnly = { id: Type.Optional(Type.Unknown()), isNameKept: Type.Optional(Type.Boolean()) };
/** The row is created or updated as by PUT: an update leaves absent members unchanged. */
const validatorOf = ({ properties }: TObject) =>
  createMemberValidator(Type.Object({ externalId: requiredExternalId, ...importedOnly, ...properties }));
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

const maxCount = 1_000_000_000;
const validateRow = createMemberValidator(
  Type.Object({
    externalId: requiredExternalId,
    event: text({ minLength: 1, maxLength: 128, pattern: "\\S" }),
    day: text({ format: "date" }),
    count: integer({ minimum: 1, maximum: maxCount }),
    users: Type.Optional(integer({ minimum: 0, maximum: maxCount })),
  }),
);
type ValidRow = Pick<ImportedDay, "externalId" | "event" | "count"> & { day: string; users?: number };

/** Validates the rows of a body one by one: the result has the problem of each invalid one. */
export function readImportedDays(parsedBody: ParsedBody): Promise<(ImportedDay | Problem)[]> {
  const rows = readItems({ ...releaseBody(parsedBody) }, "usage-days");
  return validateEach(rows, "usage-days", (row) => {
    // Safe: valid by the schema.
    const { day, users = 0, ...others } = validateRow(row, false) as ValidRow;
    if (users > others.count) throw invalidField("/users", "out_of_range", "must not be above count");
    return { ...others, users, day: dayOf(parseTimestamp(day) ?? 0) };
  });
}
