import { expect, test } from "bun:test";
import { mutantsOf } from "./mutate.ts";
import { treesOf } from "./sources.ts";
import { table } from "./table.ts";
import { checkTests } from "./workshop.ts";

const trees = await treesOf(table.map(({ source }) => source));

test("every source of the table has mutants, each another program than the source and than the others", () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  for (const [path, tree] of trees) {
    const texts = mutantsOf(tree).map(({ text }) => text);
    expect([path, texts.length]).not.toEqual([path, 0]);
    expect(new Set([tree.text, ...texts]).size).toBe(texts.length + 1);
    for (const text of texts) expect(() => transpiler.transformSync(text)).not.toThrow();
  }
});

test.each([
  ["src/http/authentication.ts", "key.id) → ((true))"],
  ["src/http/authentication.ts", "< → <="],
  ["src/http/authentication.ts", "await → nothing"],
  ["src/http/authentication.ts", '"basic" → ""'],
  ["src/http/authentication.ts", "noteUse(key, now); → ;"],
  ["src/http/authentication.ts", "return credentials; → return undefined;"],
  ["src/http/guard.ts", "/^[A-Za-z0-9._-]{1,64}$/ → /[A-Za-z0-9._-]{1,64}$/"],
  ["src/core/timestamps.ts", "* → /"],
])("in %s there is: %s", (path, change) => {
  const tree = trees.get(path);
  const changes = tree ? mutantsOf(tree).map((mutant) => mutant.change) : [];
  expect(changes.some((one) => one.endsWith(change))).toBe(true);
});

test("every test of the table is there", () => {
  checkTests(table.flatMap(({ first, rest }) => [...first, ...rest]));
});
