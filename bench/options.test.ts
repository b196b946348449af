import { expect, spyOn, test } from "bun:test";
import { checkNames, readOptions } from "./options.ts";

test("without arguments everything is measured in three rounds", () => {
  expect(readOptions([])).toEqual({
    engine: "sqlite",
    quick: false,
    full: false,
    rounds: 3,
    only: undefined,
    contestants: undefined,
    span: { warmup: 0.7, seconds: 3 },
    growthSpan: { warmup: 0.3, seconds: 1.5 },
  });
});

test("quick is one round of short measurements, unless --rounds is given", () => {
  const quick = readOptions(["--quick"]);
  expect(quick).toMatchObject({ quick: true, full: false, rounds: 1 });
  expect(quick?.span.seconds).toBeLessThan(1);
  expect(quick?.growthSpan.seconds).toBeLessThan(1);
  expect(readOptions(["--quick", "--rounds", "2"])).toMatchObject({ quick: true, rounds: 2 });
});

test("full measures growth of all contestants, and changes nothing else", () => {
  expect(readOptions(["--full"])).toEqual({ ...readOptions([]), full: true } as ReturnType<
    typeof readOptions
  >);
});

test.each(["0", "-1", "1.5", "two", "", "NaN", "Infinity"])(
  "%p is not a valid number of rounds",
  (rounds) => {
    expect(() => readOptions([`--rounds=${rounds}`])).toThrow("--rounds must be a number from 1.");
  },
);

test("works and contestants are comma-separated lists", () => {
  expect(readOptions(["--only", "get"])?.only).toEqual(["get"]);
  const both = readOptions(["--only=get,create-64,start", "--contestants", "accountd,floor"]);
  expect(both?.only).toEqual(["get", "create-64", "start"]);
  expect(both?.contestants).toEqual(["accountd", "floor"]);
});

test("the engine is SQLite or PostgreSQL", () => {
  expect(readOptions(["--engine", "postgres"])).toMatchObject({ engine: "postgres", rounds: 3 });
  expect(() => readOptions(["--engine=mysql"])).toThrow("--engine must be sqlite or postgres.");
});

test.each(["--fast", "--rounds", "--only", "--quick=yes", "-q", "get", "--only get list"])(
  "%p is not understood",
  (line) => {
    expect(() => readOptions(line.split(" "))).toThrow();
  },
);

test.each(["", "get,", ",", "get,nothing", "Get"])("%p has an unknown work", (names) => {
  const { only } = readOptions([`--only=${names}`]) ?? {};
  expect(() => checkNames("work", only, ["get", "list"])).toThrow(/^There is no work named ".*get, list\.$/);
});

test("known names and a missing list are valid", () => {
  checkNames("work", ["list", "get"], ["get", "list"]);
  checkNames("work", undefined, ["get", "list"]);
});

test("help is printed, with every option", () => {
  const log = spyOn(console, "log").mockImplementation(() => {});
  try {
    expect(readOptions(["--help", "--quick"])).toBeUndefined();
    const shown = log.mock.calls.flat().join("\n");
    for (const name of ["engine", "quick", "full", "rounds", "only", "contestants"])
      expect(shown).toContain(`--${name} `);
  } finally {
    log.mockRestore();
  }
});
