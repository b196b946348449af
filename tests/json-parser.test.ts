import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseInSteps } from "../src/http/json-parser.ts";
import { depthOf } from "../src/http/json-text.ts";

const noLimit = 1_000_000;

/** What JSON.parse returns, or undefined where it throws. */
function parseAtOnce(text: string): { value: unknown; depth: number } | undefined {
  try {
    return { value: JSON.parse(text), depth: depthOf(text) };
  } catch {
    return undefined;
  }
}

async function expectSameAsAtOnce(text: string): Promise<void> {
  const expected = parseAtOnce(text);
  if (!expected) return expect(parseInSteps(text, noLimit)).rejects.toThrow(SyntaxError);
  const { value, depth } = await parseInSteps(text, noLimit);
  expect({ value, depth }).toEqual(expected);
  // The order of members.
  expect(JSON.stringify(value)).toBe(JSON.stringify(expected.value));
}

test("a JSON text is parsed as by JSON.parse", async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 6 }), fc.constantFrom(0, 1, 2), async (text, indent) => {
      await expectSameAsAtOnce(JSON.stringify(JSON.parse(text), null, indent));
    }),
    { numRuns: 500 },
  );
});

test("a JSON text with some characters replaced is parsed as by JSON.parse, or rejected", async () => {
  const character = fc.constantFrom(...'{}[],:"\\-+.eE019 \n\t\0\u001fntfu/é\ud800');
  const replacements = fc.array(fc.record({ at: fc.nat(), character, removed: fc.nat(2) }), {
    minLength: 1,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 3 }), replacements, async (json, changes) => {
      let text = json;
      for (const { at, character, removed } of changes) {
        const start = at % (text.length + 1);
        text = text.slice(0, start) + character + text.slice(start + removed);
      }
      await expectSameAsAtOnce(text);
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  '{"__proto__":{"a":1},"a":{"__proto__":2}}',
  '{"a":1,"b":2,"a":3,"1":4,"0":5}',
  '{"constructor":1,"toString":2}',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ud800"',
  '"a\\\\"',
  '["\\\\\\"", "\\\\", "x"]',
  "[-0, 0.1e-7, 1E400, 123456789012345678901234567890, -1.5e+3]",
  "[1e5, 01]",
  "[1.]",
  "[.5]",
  "[-]",
  "[+1]",
  "[1 2]",
  "[1,]",
  "[,1]",
  '{"a":1,}',
  '{"a" 1}',
  "{a:1}",
  "{1:1}",
  "[}",
  '{"a":1]',
  "[]]",
  "[] x",
  "[tru]",
  "[truefalse]",
  "[NaN]",
  '"\n"',
  '"\\u12"',
  '"\\x"',
  '"a',
  '"a\\"',
  "",
  "  ",
  "\ufeff[]",
  "\u00a0[]",
  " \t\r\n[ \t\r\n1 \t\r\n] \t\r\n",
  "null",
  "-1",
])("%j is parsed as by JSON.parse, or rejected", expectSameAsAtOnce);

test("a text that is nested too deep is rejected at the first container that is", async () => {
  expect(await parseInSteps('[{"a":[]}]', 3)).toEqual({ value: [{ a: [] }], depth: 3, valueCount: 3 });
  await expect(parseInSteps('[{"a":[]}]', 2)).rejects.toThrow(RangeError);
  // The rest is not read, and need not be JSON.
  await expect(parseInSteps('[[{"a":[[', 2)).rejects.toThrow(RangeError);
  await expect(parseInSteps("[".repeat(100_000), 100_001)).rejects.toThrow(SyntaxError);
});

test("other work runs while a large text is parsed", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const { value } = await parseInSteps(JSON.stringify(Array.from({ length: 100_000 }, () => 1)), 1);
  clearImmediate(timer);
  expect(value).toBeArrayOfSize(100_000);
  expect(turns).toBeGreaterThan(20);
});
