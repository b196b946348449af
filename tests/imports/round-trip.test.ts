import { expect, test } from "bun:test";
import { TenantSnapshot } from "../../src/core/tenant/transaction.ts";
import { columnsOf, type ExportFormat } from "../../src/exports/formats.ts";
import { exportText } from "../../src/exports/routes.ts";
import { importedFields } from "../../src/shared/file-fields.ts";
import { resourceNames } from "../../src/shared/resources.ts";
import { Random } from "../support/random.ts";
import { importWorld } from "./import-world.ts";

const day = 86_400_000;
/** The members that the service assigns. `accountId` is another one in another organization. */
const assigned: Record<string, readonly string[]> = {
  accounts: ["id", "createdAt", "updatedAt"],
  contacts: ["id", "lastSeenAt", "createdAt", "updatedAt"],
  meetings: ["id", "createdAt", "updatedAt"],
  requests: ["id", "createdAt", "updatedAt"],
};
const attributeTypes =
  "attributes.seats=attributes.seats:number,attributes.isPaying=attributes.isPaying:boolean";

/** An import world whose second organization has rows of every resource with all members. */
async function filledWorld() {
  const here = await importWorld();
  const { now, second } = here;
  const random = new Random(1);
  const ago = (days: number) => new Date(now() - random.below(days * day)).toISOString();
  const put = async (path: string, body: object) => {
    const reply = await here.call("PUT", `/api/v1/${path}`, body, { key: second.key });
    if (reply.status !== 201) throw new Error(`not created: ${reply.text}`);
  };
  for (let i = 0; i < 20; i += 1) {
    await put(`accounts/external/a${i}`, {
      name: `Account ${i}`,
      mrr: i * 10.5,
      status: random.of(["active", "onboarding", "churned", "inactive"]),
      logoUrl: "https://example.com/logo.png",
      contactActivityAt: ago(20),
      attributes: { plan: "pro", seats: i, isPaying: i % 2 === 0 },
    });
    const account = { accountExternalId: `a${i}` };
    const attributes = { role: "admin" };
    await put(`contacts/external/c${i}`, {
      ...{ ...account, name: "Ada", email: `ada${i}@x.example`, userId: `u${i}`, attributes },
    });
    const startAt = ago(200);
    await put(`meetings/external/m${i}`, {
      ...account,
      title: "Review",
      startAt,
      endAt: new Date(now()).toISOString(),
    });
    for (let k = 0; k < 4; k += 1) {
      const status = random.of(["Open", "Planned", "Started", "Done", "Done", "Declined"]);
      const requestedAt = ago(150);
      const open = now() - Date.parse(requestedAt);
      const resolvedAt = new Date(Date.parse(requestedAt) + random.below(open)).toISOString();
      await put(`requests/external/r${i}-${k}`, {
        ...{ ...account, title: "SSO", status, severity: 1 + random.below(5), requestedAt },
        resolvedAt: ["Done", "Declined"].includes(status) ? resolvedAt : null,
      });
    }
  }
  const textOf = async (
    organizationId: number,
    resource: (typeof resourceNames)[number],
    format: ExportFormat,
  ) => {
    const query = { sortBy: "createdAt", sortOrder: "asc" };
    const read = <T>(fn: (snapshot: TenantSnapshot) => Promise<T>) =>
      here.engine.read((snapshot) => fn(new TenantSnapshot(snapshot, organizationId, "key")));
    const parts = exportText(read, { resource, query, format, hasEndLine: false });
    return (await Array.fromAsync(parts)).join("");
  };
  const rowsOf = async (organizationId: number, resource: (typeof resourceNames)[number]) =>
    (await textOf(organizationId, resource, "jsonl"))
      .trim()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
  const scores = async (key: string) => {
    const { data } = (await here.call("GET", "/api/v1/health?pageSize=100", undefined, { key })).body;
    return new Map(
      data.map((row: Record<string, unknown>) => [row.externalId, [row.score, row.tier, row.coverage]]),
    );
  };
  return { ...here, textOf, rowsOf, scores };
}

test.each(resourceNames)(
  "every column of an export of %s is imported, except for the assigned ones",
  (resource) => {
    const columns: readonly string[] = columnsOf(resource);
    expect(columns.filter((name) => !Object.hasOwn(importedFields[resource], name))).toEqual([
      ...(assigned[resource] ?? []),
    ]);
    const members = Object.keys(importedFields[resource]);
    expect(members.filter((name) => !columns.includes(name))).toEqual(
      resource === "contacts" ? ["firstName", "lastName"] : [],
    );
  },
);

test.each(["csv", "jsonl"] as const)(
  "an export as %s gives the other organization the same rows and scores, except for the assigned members",
  async (format) => {
    const { first, second, importBytes, textOf, rowsOf, scores, pass } = await filledWorld();
    pass(20 * day);
    for (const resource of resourceNames) {
      const map = format === "csv" && resource === "accounts" ? { map: attributeTypes } : {};
      const text = await textOf(second.id, resource, format);
      const { counts, ignored } = await importBytes(text, { resource, name: `file.${format}`, ...map });
      expect(counts.created).toBe(counts.lines);
      expect(new Set(ignored)).toEqual(new Set(assigned[resource]));
      const compared = (rows: Record<string, unknown>[]) =>
        rows.map((row) => ({
          ...row,
          ...Object.fromEntries(
            [...(assigned[resource] ?? []), "accountId"].map((name) => [name, undefined]),
          ),
        }));
      const [stored, expected] = [await rowsOf(first.id, resource), await rowsOf(second.id, resource)];
      expect(compared(stored)).toEqual(compared(expected));
      for (const name of Object.keys(importedFields[resource]))
        expect([name, expected.some((row) => row[name] !== null)]).toEqual([name, true]);
    }
    const known = await scores(second.key);
    expect(await scores(first.key)).toEqual(known);
    expect(new Set([...known.values()].map(String)).size).toBeGreaterThan(5);
  },
);
