import { max, type SQL, sql } from "drizzle-orm";
import { type Column, integerInput } from "../../db/expressions.ts";
import { accounts, healthSettings, SCORE_DUE_NOW } from "../../db/schema.ts";
import type { ResourceRows } from "../core/changes/changes.ts";
import { invalidField, Problem } from "../core/errors.ts";
import { externalIdConflict } from "../core/resource/definition.ts";
import { columnsOf, mergeInput } from "../core/resource/field-columns.ts";
import { defineResource } from "../core/resource/resource.ts";
import { aggregateOf } from "../core/tenant/statements.ts";
import { parseTimestamp } from "../core/timestamps.ts";
import { accountFields } from "../shared/fields/accounts.ts";
import type { InputOf } from "../shared/fields/field.ts";

export type AccountRow = ResourceRows["account"];
/** The members that callers can set. */
export type AccountInput = InputOf<typeof accountFields>;

const fields = columnsOf(accountFields, accounts);
/** The columns that a list shows. */
const { contactActivityAt: _, attributes: __, ...listedFields } = fields;

export { listedFields };

/** Accounts. Throws `invalid_request` for a contactActivityAt in the future. */
export const accountResource = defineResource<"account", AccountInput>({
  type: "account",
  table: accounts,
  fields: { ...fields, version: accounts.version, memberTimes: accounts.memberTimes },
  folded: { foldedName: { of: "name" }, foldedExternalId: { of: "externalId" } },
  columnsOf(input, existing, now) {
    assertPast(input, now);
    return mergeInput(accountFields, input, existing);
  },
  required: ["name"],
  conflicts: [externalIdConflict("account", accounts)],
  mark: { column: "scoreStaleAt", value: SCORE_DUE_NOW, isNeeded: changesScore },
  computed: {
    coverage: sql`coalesce(${ofSettings(healthSettings.newCoverage)}, 0)`,
    scoreStaleAt: sql`coalesce(${integerInput("scoreStaleAt")}, ${ofSettings(healthSettings.newStaleAt)})`,
  },
});

/** The column of the organization's only row. */
function ofSettings(column: Column): SQL {
  return aggregateOf(max(column), { from: healthSettings, where: undefined });
}

function changesScore(after: AccountRow, before?: AccountRow): boolean {
  if (!before) return after.contactActivityAt !== null;
  return before.status !== after.status || before.contactActivityAt !== after.contactActivityAt;
}

/** Checks input that needs no stored account, before one is looked for. Throws `no_valid_fields`, `invalid_request`. */
export function checkAccountInput(input: AccountInput, now: number): void {
  if (Object.keys(input).length === 0) throw new Problem("no_valid_fields");
  assertPast(input, now);
}

/** Throws for a time in the future. The schema of the body has accepted the text as a timestamp. */
function assertPast({ contactActivityAt }: AccountInput, now: number): void {
  const time = contactActivityAt == null ? undefined : parseTimestamp(contactActivityAt);
  if (time !== undefined && time > now)
    throw invalidField("/contactActivityAt", "in_future", "must not be in the future");
}
