import { expect, test } from "bun:test";
import { describeApp } from "../../src/app.ts";
import { accountCases } from "./account-cases.ts";
import { recordedWorld } from "./recorded-world.ts";
import { subResourceCases } from "./sub-resource-cases.ts";

/** The members of an account in a change that a GET does not return. */
const hidden = new Set(["status", "contactActivityAt", "attributes"]);
const titled = [...accountCases, ...subResourceCases].map(
  (item) => [item.send.map((part) => JSON.stringify(part)).join(" "), item] as const,
);

/**
 * The records of a request in a new organization. PostgreSQL may run a transaction twice, which leaves a gap before the id
 * of a new row: then in another one.
 */
async function recordOnce({ send: [method, path, body], records }: (typeof titled)[number][1]) {
  for (let attempt = 1; ; attempt += 1) {
    const here = await recordedWorld();
    const recorded = await here.recordedBy(() => here.send(method, path, body));
    const hasGap = recorded.some(({ resourceId }, i) => resourceId > Number(records[i]?.resourceId));
    if (!hasGap || attempt === 3) return { here, recorded };
  }
}

test.each(titled)(
  "the change log has exactly what a request changed, with the stored values: %s",
  async (_title, item) => {
    const { records, at } = item;
    const { here, recorded } = await recordOnce(item);
    expect(recorded).toEqual(here.expected(5, ...records));
    if (at === undefined) return;
    const stored = await here.send("GET", at);
    const after = Object.entries(records.at(-1)?.after ?? {});
    const returned = after.filter(([name]) => !at.includes("accounts") || !hidden.has(name));
    expect(stored).toMatchObject(Object.fromEntries(returned));
  },
);

test("every type of change in the OpenAPI document is recorded by one of these requests, of health settings, or by the score job", async () => {
  // Safe: the document's schema of a change.
  const { components } = (await describeApp()) as {
    components: { schemas: { Change: { discriminator: { mapping: Record<string, string> } } } };
  };
  const types = titled.flatMap(([, { records }]) => records.map(({ type }) => type));
  const documented = Object.keys(components.schemas.Change.discriminator.mapping);
  expect(documented.toSorted()).toEqual(
    [...new Set([...types, "account.health_changed", "health_settings.updated"])].toSorted(),
  );
});
