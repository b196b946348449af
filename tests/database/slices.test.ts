import { expect, test } from "bun:test";
import type { Value, Values } from "../../db/engine.ts";
import { bind, type Rendered } from "../../db/rendering.ts";
import { render, renderOnce } from "../../db/sqlite/prepared.ts";
import { readShortPage } from "../../db/sqlite/reads/short-pages.ts";
import { renderSlices, runSlices } from "../../db/sqlite/reads/slices.ts";
import { definedStatements, type Statement, statementNamed } from "../../db/statements.ts";
// Defines the statements of the service.
import "../../src/app.ts";
import { choicesOf } from "./prepared.ts";
import { randomInputs, slicedRows } from "./sliced-rows.ts";

/** The sort columns of each list, and the values of each filter in the names of its statements. */
const lists: Record<string, { sortBy: string; filters: string[][]; isOfAccount?: boolean }> = {
  "accounts.list": {
    sortBy: "name mrr createdAt updatedAt",
    filters: [["status", "status+literal"], ["search"]],
  },
  "requests.list": {
    sortBy: "requestedAt severity title createdAt updatedAt",
    filters: [["accountId"], ["status"], ["search"]],
  },
  "contacts.list": {
    sortBy: "name createdAt updatedAt",
    filters: [["email"], ["search"]],
    isOfAccount: true,
  },
  "meetings.list": {
    sortBy: "startAt endAt title createdAt updatedAt",
    filters: [["search"]],
    isOfAccount: true,
  },
  "scores.list": { sortBy: "score mrr name", filters: [["tier"]] },
  "unmatchedIds.list": { sortBy: "externalId count firstAt lastAt", filters: [["search"]] },
};

const attributeFilters = [
  ...["attribute:none", "attribute:text", "attribute:textList", "attribute:number", "attribute:numberList"],
  "attributes:3",
];

function buildEveryVariant(): void {
  for (const list of ["accounts.list", "contacts.list"]) {
    for (const filter of attributeFilters) statementNamed(`${list}/page/name/asc/${filter}`);
    for (const variant of ["number/all/asc", "number/range/desc", "text/all/desc", "text/list/asc"])
      for (const filters of [
        "",
        "search",
        "attribute:number",
        "attribute:textList",
        "attributeIds+attributes:3",
      ])
        statementNamed(`${list}.byAttribute/valued/${variant}/${filters}`);
  }
  for (const [list, { sortBy, filters, isOfAccount }] of Object.entries(lists))
    for (const column of sortBy.split(" "))
      for (const order of ["asc", "desc"])
        for (const chosen of choicesOf(filters))
          statementNamed(
            `${list}/page/${column}/${order}/${[...(isOfAccount ? ["accountId"] : []), ...chosen].join("+")}`,
          );
}

/** Every statement that can be run in parts, with its parts. */
function slicedStatements() {
  buildEveryVariant();
  return definedStatements().flatMap((statement) =>
    statement.slices && !statement.name.startsWith("tests.")
      ? [{ name: statement.name, whole: render(statement), slices: renderSlices(statement.slices) }]
      : [],
  );
}

/** Inputs of filters with operators for which every value matches. Another test file can have built such statements. */
function unusedFilters({ inputs }: Rendered): Values {
  const names = inputs.flatMap((input) => ("name" in input ? [input.name] : []));
  const limits = {
    ...{ Low: Number.MIN_SAFE_INTEGER, High: Number.MAX_SAFE_INTEGER, List: "[]" },
    ...{ Texts: "[]", Numbers: "[]", TextLow: "", TextEnd: "\u{10ffff}" },
    ...{ IsNone: 0, Name: null, attributeIds: "[6,7,8,9]" },
  };
  const entries = Object.entries(limits).flatMap(([suffix, value]) =>
    names.filter((name) => name.endsWith(suffix)).map((name) => [name, value] as const),
  );
  return Object.fromEntries(entries);
}

for (const seed of [1, 2, 3]) {
  const { client, random } = await slicedRows(seed);
  const run = (statement: Rendered, values: Values) =>
    client
      .query(statement.sql)
      .values(...bind(statement, { ...unusedFilters(statement), ...values })) as Value[][];

  test(`a page is the same for many matches as for few: ${seed}`, () => {
    const pagesInSortOrder = slicedStatements().filter(({ name }) => name.includes("/pageInSortOrder/"));
    expect(pagesInSortOrder.length).toBeGreaterThan(30);
    for (const { name, whole } of pagesInSortOrder) {
      const page = render(statementNamed(name.replace("pageInSortOrder", "page")));
      const values = randomInputs(random);
      expect({ name, values, found: run(whole, values) }).toEqual({ name, values, found: run(page, values) });
    }
  });

  const all = <R>(statement: Statement<R>, values: Values): R[] =>
    run(render(statement), values).map(renderOnce(statement).toRow);
  const reader = { all, first: <R>(statement: Statement<R>, values: Values) => all(statement, values)[0] };
  /** Reads a short page with random inputs. Expects the rows of the page, or none. */
  const tryShortPage = (page: Statement<unknown>): unknown[] | undefined => {
    const values = { ...unusedFilters(render(page)), ...randomInputs(random) };
    const found = readShortPage(reader, page, values, 10 + random.below(30));
    if (found)
      expect({ name: page.name, values, found }).toEqual({
        name: page.name,
        values,
        found: all(page, values),
      });
    return found;
  };

  test(`a short page is the page, or there is none: ${seed}`, () => {
    const seen = { asc: 0, desc: 0, none: 0 };
    buildEveryVariant();
    const pages = definedStatements().filter(
      ({ name, slices }) => slices?.keyRange.rows && !name.startsWith("tests."),
    );
    for (const page of pages)
      for (let round = 0; round < 6; round += 1) {
        const found = tryShortPage(page);
        if (!found) seen.none += 1;
        else if (found.length > 0) seen[page.name.includes("/desc/") ? "desc" : "asc"] += 1;
      }
    expect(pages.length).toBeGreaterThan(150);
    expect(Math.min(seen.asc, seen.desc)).toBeGreaterThan(50);
    expect(seen.none).toBeGreaterThan(100);
  });

  test(`short pages of each kind of filter by attributes have rows: ${seed}`, () => {
    for (const list of ["accounts.list", "contacts.list"])
      for (const filter of attributeFilters) {
        const page = statementNamed(`${list}/page/name/asc/${filter}`);
        let rowCount = 0;
        for (let round = 0; round < 5_000 && rowCount < 10; round += 1)
          rowCount += tryShortPage(page)?.length ?? 0;
        expect({ name: page.name, hasRows: rowCount >= 10 }).toEqual({ name: page.name, hasRows: true });
      }
  });

  test(`a statement returns the same in parts as in one, in every order and with all filters: ${seed}`, () => {
    const seen = { parts: 0, rows: 0, counted: 0 };
    const statements = slicedStatements();
    for (const { name, whole, slices } of statements)
      for (let round = 0; round < 3; round += 1) {
        const values = randomInputs(random);
        const rowCounts = { first: 1 + random.below(4), max: 1 + random.below(20) };
        const countingRun = (statement: Rendered, input: Values) => {
          if (statement === slices.within) seen.parts += 1;
          return run(statement, input);
        };
        const options = { deadline: Number.POSITIVE_INFINITY, rowCounts };
        const found = runSlices(slices, values, countingRun, options);
        expect({ name, values, found }).toEqual({ name, values, found: run(whole, values) });
        if (slices.keyRange.rows) seen.rows += found.length;
        else seen.counted += Number(found[0]?.[0]);
      }
    expect(statements.length).toBeGreaterThan(600);
    expect(seen.parts).toBeGreaterThan(10 * statements.length);
    expect(seen.rows).toBeGreaterThan(2 * statements.length);
    expect(seen.counted).toBeGreaterThan(2 * statements.length);
  }, 60_000);
}
