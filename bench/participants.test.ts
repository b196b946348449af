import { expect, test } from "bun:test";
import { contestants } from "./contestants.ts";
import { type Options, readOptions } from "./options.ts";
import { nameOf, presentOf } from "./participants.ts";

function optionsOf(line: string): Options {
  const options = readOptions(line === "" ? [] : line.split(" "));
  if (!options) throw new Error("that is help");
  return options;
}

test.each(["--contestants=", "--contestants=floor,", "--contestants=floor,nobody"])(
  "%s names a contestant that there is not",
  async (line) => {
    await expect(presentOf(optionsOf(line), () => {})).rejects.toThrow("There is no contestant named");
  },
);

test.each([
  ["", "results"],
  ["--rounds=4 --full", "results"],
  ["--rounds=2", "partial"],
  ["--only=get", "partial"],
  ["--contestants=accountd", "partial"],
  ["--quick", "quick"],
  ["--quick --only=get", "partial"],
  ["--quick --contestants=accountd", "partial"],
])("a run with the arguments %p is kept as %s", (line, name) => {
  expect(nameOf(optionsOf(line), contestants)).toBe(name);
});

const optional = ["directus", "before"];

test.each(contestants.map(({ name }) => name))(
  "a run without %s is whole only if that is optional",
  (name) => {
    const others = contestants.filter((one) => one.name !== name);
    const isWhole = optional.includes(name);
    expect(nameOf(optionsOf(""), others)).toBe(isWhole ? "results" : "partial");
    expect(nameOf(optionsOf("--quick"), others)).toBe(isWhole ? "quick" : "partial");
  },
);
