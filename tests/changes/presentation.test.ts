import { expect, test } from "bun:test";
import type { ChangeRow } from "../../src/changes/list.ts";
import { presentChange } from "../../src/changes/present.ts";
import { changeActions, NO_ACCOUNT } from "../../src/core/changes/changes.ts";
import type { ResourceField, ResourceFields } from "../../src/shared/fields/field.ts";
import { resources } from "../../src/shared/resources.ts";
import { Random } from "../support/random.ts";

const tierFields: ResourceFields = { tier: { kind: "choice" }, score: { kind: "number" } };
const fieldsOf = new Map(
  Object.values(resources).map(({ noun, fields }) => [
    noun as string,
    Object.entries<ResourceField>(noun === "account" ? { ...fields, ...tierFields } : fields),
  ]),
);
const texts = ["", "Acme", 'é😀"\\\n\u2028', '"createdAt":1'];
const statuses = ["active", "onboarding", "churned", "inactive"];
const numbers = [0, -0, 1.5, 1e21, 5e-324, -1];
const timestamps = [0, 1_767_323_045_678, 1_767_323_045_679, -62_167_219_200_000];
const attributes = [{}, { plan: "pro", createdAt: 1, 7: true }, { 'é"': "", seats: -1 }];

/** A stored side with random fields in any order; some are not fields of the resource. */
function randomSide(random: Random, resource: string): string {
  const members: [string, unknown][] = [["version", 3]];
  for (const [name, { kind }] of fieldsOf.get(resource) ?? []) {
    if (kind === "flag" || random.below(3) === 0) continue;
    members.push([name, random.below(6) === 0 ? null : randomValue(random, name, kind)]);
  }
  members.sort(() => random.below(3) - 1);
  return JSON.stringify(Object.fromEntries(members));
}

function randomValue(random: Random, name: string, kind: ResourceField["kind"]): unknown {
  if (name === "status") return random.of(statuses);
  if (kind === "timestamp") return random.of(timestamps);
  if (kind === "attributes") return random.of(attributes);
  return random.of<unknown>(kind === "text" || kind === "choice" ? texts : numbers);
}

function randomRow(random: Random): ChangeRow {
  const resource = random.of([...fieldsOf.keys(), "health_settings"]);
  const action = random.of(changeActions);
  const side = () => (random.below(8) === 0 ? null : randomSide(random, resource));
  const settings = () => JSON.stringify({ tiers: { healthy: random.of(numbers) }, text: random.of(texts) });
  const hasKey = random.below(2) === 0;
  return {
    ...{ sequence: random.below(1_000_000), resource, action, resourceId: random.below(9) },
    ...{ accountId: random.of([NO_ACCOUNT, 42]), changedAt: random.of(timestamps) },
    actorType: hasKey ? "key" : random.of(["cli", "job"]),
    ...{ keyId: hasKey ? 3 : null, keyName: hasKey ? random.of(["", 'c"rm', null]) : null },
    requestId: random.of([null, "0b6a3c1e"]),
    ...(resource === "health_settings"
      ? { before: settings(), after: settings() }
      : { before: side(), after: side() }),
  };
}

/** The members of a side that its resource has, in the order of the fields. */
function expectedSide({ resource, action }: ChangeRow, json: string | null): Record<string, unknown> | null {
  const stored = json === null ? null : JSON.parse(json);
  const fields = fieldsOf.get(resource);
  if (!stored || !fields) return stored;
  if (action === "created" || action === "deleted") stored.attributes ??= {};
  const entries = fields.map(([name, { kind, of = name }]) => {
    const value = stored[of];
    if (kind === "flag") return [name, value === undefined ? undefined : value === name];
    return [name, kind === "timestamp" && value != null ? new Date(value).toISOString() : value];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The change as the API shows it, as a text. */
function expectedText(row: ChangeRow): string {
  const { sequence, resource, action, resourceId, accountId, changedAt, keyId, requestId } = row;
  const [before, after] = [expectedSide(row, row.before), expectedSide(row, row.after)];
  if (resource !== "health_settings" && action === "updated" && before && after)
    for (const name of Object.keys({ ...before, ...after }))
      if (before[name] === after[name]) {
        delete before[name];
        delete after[name];
      }
  return JSON.stringify({
    ...{ sequence, type: `${resource}.${action}`, time: new Date(changedAt).toISOString(), resourceId },
    accountId: accountId === NO_ACCOUNT ? null : accountId,
    actor: keyId === null ? { type: row.actorType } : { type: "key", id: keyId, name: row.keyName ?? "" },
    ...{ requestId, before, after },
  });
}

test("a change has the fields of its resource in their order, and of an update those that differ", () => {
  const random = new Random(1);
  for (let i = 0; i < 5_000; i += 1) {
    const row = randomRow(random);
    expect(JSON.stringify(presentChange(row))).toBe(expectedText(row));
  }
});
