import { expect, test } from "bun:test";
import { mutantsOf } from "./mutate.ts";
import { treesOf } from "./sources.ts";
import { table } from "./table.ts";
import { checkTests } from "./workshop.ts";

const example = "tests/mutants/example.ts";
const trees = await treesOf([example, ...table.map(({ source }) => source)]);

test("every source of the table has mutants, which differ from the source and from each other", () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  for (const [path, tree] of trees) {
    const texts = mutantsOf(tree).map(({ text }) => text);
    expect([path, texts.length]).not.toEqual([path, 0]);
    expect(new Set([tree.text, ...texts]).size).toBe(texts.length + 1);
    for (const text of texts.slice(0, 10)) expect(() => transpiler.transformSync(text)).not.toThrow();
  }
});

test.each([
  'scheme === "basic" && lastUsed !== undefined → ((true))',
  '"basic" → ""',
  "&& → ||",
  "< → <=",
  "* → /",
  "/^[a-z]{1,8}$/ → /[a-z]{1,8}$/",
  "used.set(now, now); → ;",
  "await → nothing",
  "return scheme; → return undefined;",
  "used.get(0)?.toString() ?? used.get(1)?.toString() → ((used.get(0)?.toString()) && used.get(1)?.toString())",
])("the example has the mutant: %s", (change) => {
  const tree = trees.get(example);
  expect(tree ? mutantsOf(tree).map((mutant) => mutant.change) : []).toContain(change);
});

test("a mutant has the place that contains it", () => {
  const tree = trees.get(example);
  const places = tree ? mutantsOf(tree).map(({ place }) => place) : [];
  expect(new Set(places)).toEqual(new Set(["example", "Example.#count", "Example.next"]));
});

test("every test of the table exists", () => {
  checkTests(table.flatMap(({ first, rest }) => [...first, ...rest]));
});
