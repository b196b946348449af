import { expect, test } from "bun:test";
import { type Measured, type ProcessorTime, rowsOf } from "./results.ts";
import { failedMeasurement, failing, measured, names, workOf } from "./sample.ts";

test("figures are the medians over the rounds, each by itself", () => {
  const [row] = rowsOf([workOf("get")], measured("accountd", "get", 100, 500, 200), names);
  expect(row).toMatchObject({ name: "get", title: "the get" });
  expect(row?.cells).toMatchObject([{ contestant: "accountd", perSecond: 200, p50: 5, p99: 50 }]);
  expect(row?.cells[0]?.rounds.map(({ perSecond }) => perSecond)).toEqual([100, 500, 200]);
});

test("a request with several items counts as that many in the rate, but not in a ratio", () => {
  const all = [...measured("accountd", "get", 300), ...measured("floor", "get", 200)];
  const [row] = rowsOf([workOf("get", { each: 100 })], all, names);
  expect(row?.cells).toMatchObject([
    { perSecond: 30_000, p50: 1_000 / 300 },
    { perSecond: 20_000, ratio: 1.5 },
  ]);
});

test("a ratio is the median of the ratios of each round, not the ratio of the medians", () => {
  const all = [
    ...measured("floor", "get", 200, 100, 150),
    ...measured("accountd", "get", 100, 200, 600),
    ...measured("fastify", "get", 10, 10, 10),
  ];
  const cells = rowsOf([workOf("get")], all, names)[0]?.cells;
  expect(cells?.map(({ ratio }) => ratio)).toEqual([undefined, 2, 20]);
});

test("a round with a missing figure or a failure has no ratio", () => {
  const all = [
    ...measured("accountd", "get", 100, 100, 100, 500),
    failedMeasurement("floor", "get", 1),
    ...failing("floor", "get", 2, { 500: 1 }),
    ...measured("floor", "get", 1, 1, 50).slice(2),
  ];
  const [, floor] = rowsOf([workOf("get")], all, names)[0]?.cells ?? [];
  expect(floor).toMatchObject({ ratio: 2, failure: "gone" });
});

test("the processor time is the median over the rounds that have it", () => {
  const times: ProcessorTime[] = [
    { contestant: 10, server: 300 },
    { contestant: 30, server: 100 },
    { contestant: 20 },
  ];
  const all = times.map((processor, i): Measured => {
    const figures = measured("accountd", "get", 1)[0]?.figures;
    return { round: i + 1, contestant: "accountd", work: "get", processor, ...(figures && { figures }) };
  });
  const [row] = rowsOf([workOf("get")], all, names);
  expect(row?.cells[0]?.processor).toEqual({ contestant: 20, server: 200 });
  expect(rowsOf([workOf("get")], measured("accountd", "get", 1), names)[0]?.cells[0]).not.toHaveProperty(
    "processor",
  );
});

test("a measurement with failures is invalid, and reports their number by status", () => {
  const all = [...measured("floor", "get", 1), ...failing("floor", "get", 2, { 409: 3, 503: 1 })];
  expect(rowsOf([workOf("get")], all, names)[0]?.cells).toMatchObject([
    { contestant: "floor", failure: "answered 3 × 409, 1 × 503" },
  ]);
});

test("the rows are the measured works and contestants, in the given order", () => {
  const all = [
    ...measured("fastify", "get", 1),
    ...measured("floor", "get", 1),
    ...measured("floor", "list", 1),
  ];
  const rows = rowsOf([workOf("list"), workOf("search"), workOf("get")], all, names);
  expect(rows.map(({ name, cells }) => [name, ...cells.map(({ contestant }) => contestant)])).toEqual([
    ["list", "floor"],
    ["get", "floor", "fastify"],
  ]);
});
