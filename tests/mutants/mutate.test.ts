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
    for (const text of texts) expect(() => transpiler.transformSync(text)).not.toThrow();
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

test("a mutant is identified by its place, its change, and its number among equal changes there", () => {
  for (const tree of trees.values()) {
    const keys = mutantsOf(tree).map(({ place, change, nth }) => `${place} ${change} ${nth}`);
    expect(new Set(keys).size).toBe(keys.length);
  }
  const tree = trees.get(example);
  const mutants = tree ? mutantsOf(tree) : [];
  expect(new Set(mutants.map(({ place }) => place))).toEqual(
    new Set(["example", "Example.#count", "Example.next"]),
  );
  const ofTexts = mutants.filter(({ change }) => change === '"" → "mutant"');
  expect(ofTexts.map(({ place, nth }) => [place, nth])).toEqual([
    ["example", 1],
    ["example", 2],
  ]);
});

test("every test of the table exists", () => {
  checkTests(table.flatMap(({ first, rest }) => [...first, ...rest]));
});
