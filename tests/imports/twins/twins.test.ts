import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { parseMap } from "../../../src/cli/import/map.ts";
import { readMap } from "../../../src/cli/import/options.ts";
import { describeColumn } from "../../../src/cli/import/report.ts";
import { openImport } from "../../../src/cli/import/source.ts";
import { readCsvFile, readStart } from "../../../src/console/app/pages/import/file.ts";
import { faultsOf } from "../../../src/console/app/pages/import/mapping.ts";
import { guessChoices, type ImportChoices, tableOf } from "../../../src/console/app/pages/import/table.ts";
import { attributePrefix, valueTypeOf } from "../../../src/shared/file-fields.ts";
import { maxGuessRows } from "../../../src/shared/imports/column-guess.ts";
import { parseColumnValues } from "../../../src/shared/imports/formats/values.ts";
import { readRecord } from "../../../src/shared/imports/import-table.ts";
import { defaultFormats } from "../../../src/shared/imports/row-cells.ts";
import { operatorOf } from "../../support/operator.ts";
import { temporaryFile } from "../../support/world.ts";
import { importWorld, nothing } from "../import-world.ts";
import { activityTwins } from "./activity.ts";
import { billingTwins } from "./billing.ts";
import { crmTwins } from "./crm.ts";
import { peopleTwins } from "./people.ts";
import { sheetTwins } from "./sheets.ts";
import type { Twin } from "./twin.ts";

const accountTwins = [...crmTwins, ...billingTwins, ...sheetTwins];
const twins = [...accountTwins, ...peopleTwins, ...activityTwins];

/** The values of fields that a file does not fill. */
const defaults = {
  accounts: { mrr: 0, status: "active", logoUrl: null, contactActivityAt: null, attributes: {} },
  contacts: { email: null, userId: null, lastSeenAt: null, attributes: {} },
  meetings: {},
  requests: { status: "Open", severity: 3, resolvedAt: null },
  "usage-days": {},
};

const resourceOf = ({ resource = "accounts" }: Twin) => resource;

/** The source of the file, as the command opens it for an organization without attributes. */
async function openTwin({ file, options = {}, ...twin }: Twin) {
  const path = temporaryFile("file.csv");
  writeFileSync(path, file);
  const map = readMap({ resource: twin.resource, ...options }, twin.resource ?? "accounts");
  return openImport(path, { ...map, attributeTypes: {} });
}

test("There are twins of thirty kinds of files", () => {
  expect(new Set(twins.map(({ kind }) => kind)).size).toBe(twins.length);
  expect(twins.length).toBeGreaterThanOrEqual(30);
});

test.each(twins.map((twin) => [twin.kind, twin] as const))(
  "%s: the columns and their formats are found, the rows are stored, and the file changes nothing again",
  async (_, twin) => {
    const { importBytes, engine, first } = await importWorld();
    const resource = resourceOf(twin);
    const organization = String(first.id);
    for (const externalId of twin.accounts ?? [])
      await importBytes(`externalId,name\n${externalId},${externalId}\n`);
    const { options = {}, mapping, rejected = [] } = twin;
    const source = await openTwin(twin);
    const imported = source.mapping.filter(({ field }) => field !== null).map(describeColumn);
    expect(imported.toSorted()).toEqual(
      Object.entries(mapping)
        .flatMap(([column, fields]) => fields.split(", ").map((field) => `${column}: ${field}`))
        .toSorted(),
    );
    expect(source.table?.formats).toEqual({ ...defaultFormats, isEmptyCleared: false, ...twin.formats });

    const isResourceChosen = true;
    const stored = await importBytes(twin.file, { resource, options, isResourceChosen });
    const lines = twin.rows.length + rejected.length;
    expect(stored.reasons).toEqual(rejected.map((line) => [...line]));
    expect(stored.counts).toEqual({
      ...{ ...nothing, lines, created: twin.rows.length, rejected: rejected.length },
    });
    const path = resource === "accounts" ? "/api/v1/accounts.jsonl" : `/operator/exports/${resource}/jsonl`;
    const query = resource === "usage-days" ? "" : "?sortBy=createdAt";
    const exported = await operatorOf(engine).send(path + query, { organization });
    const rows = (await exported.text()).trim().split("\n");
    expect(
      rows.map((row) => {
        const { id, accountId, createdAt, updatedAt, ...others } = JSON.parse(row);
        return others;
      }),
    ).toEqual(twin.rows.map((row) => ({ ...defaults[resource], ...row })));
    const again = await importBytes(twin.file, { resource, options, isResourceChosen });
    expect(again.counts).toEqual({
      ...{ ...nothing, lines, unchanged: twin.rows.length, rejected: rejected.length },
    });
  },
);

/** What the console sends for the file, after a person has made the choices of the options in its table. */
async function openInConsole({ file, options = {} }: Twin) {
  const blob = new Blob([file]);
  const { header, rows, scan } = await readStart(blob, maxGuessRows);
  const samples = rows.map(({ cells }) => cells);
  const guessed = guessChoices(header.names, {}, samples);
  const indexOf = (column: string) => header.names.indexOf(column);
  const targets = [...guessed.targets];
  for (const { column, target } of options.map === undefined ? [] : parseMap(options.map, "accounts")) {
    const { field = "", type } = target ?? {};
    const attribute = field.slice(attributePrefix.length);
    targets[indexOf(column)] = field.startsWith(attributePrefix)
      ? { attribute, type: type && valueTypeOf(type) }
      : { member: field };
  }
  const values = Object.fromEntries(
    (parseColumnValues(options.values ?? "") ?? []).map(({ column, values }) => [indexOf(column), values]),
  );
  const choices: ImportChoices = { targets, formats: {}, values };
  const table = tableOf({ header: header.names, attributeTypes: {}, samples, scan }, choices);
  const lines = [];
  for await (const { records } of readCsvFile(blob))
    lines.push(...records.map((record) => readRecord(table, record)));
  return { faults: faultsOf(header.names, targets, samples), guessed, table, lines };
}

test.each(
  accountTwins
    .filter(({ commandOnly }) => commandOnly === undefined)
    .map((twin) => [twin.kind, twin] as const),
)("%s: the console finds the columns, the formats and the rows of the command", async (_, twin) => {
  const source = await openTwin(twin);
  const { faults, table, lines } = await openInConsole(twin);
  expect(faults).toEqual([]);
  const byIndex = (columns: NonNullable<typeof source.table>["columns"]) =>
    columns.toSorted((a, b) => a.index - b.index);
  expect(byIndex(table.columns)).toEqual(byIndex(source.table?.columns ?? []));
  expect(table.formats).toEqual({ ...defaultFormats, ...source.table?.formats });
  expect(lines).toEqual(await Array.fromAsync(source.lines));
});

test.each(peopleTwins.map((twin) => [twin.kind, twin] as const))(
  "%s are not imported as accounts",
  async (_, { file }) => {
    const { importBytes, call } = await importWorld();
    const { counts } = await importBytes(file).catch(() => ({ counts: nothing }));
    expect([counts.created, counts.updated]).toEqual([0, 0]);
    expect((await call("GET", "/api/v1/accounts")).body.pagination.total).toBe(0);
  },
);
