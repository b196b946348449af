import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseInSteps } from "../../src/http/body/json-parser.ts";

/** What JSON.parse returns in an array, or undefined where it throws. */
function parseAtOnce(text: string): [unknown] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

async function expectSameAsAtOnce(text: string): Promise<void> {
  const expected = parseAtOnce(text);
  if (!expected) return expect(parseInSteps(text)).rejects.toThrow(SyntaxError);
  const value = await parseInSteps(text);
  expect([value]).toEqual(expected);
  // The order of members.
  expect(JSON.stringify(value)).toBe(JSON.stringify(expected[0]));
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

test("nesting has no limit", async () => {
  const text = "[".repeat(100_000);
  await expect(parseInSteps(text)).rejects.toThrow(SyntaxError);
  expect(await parseInSteps(text + "]".repeat(100_000))).toBeArrayOfSize(1);
});

test("other work runs while a large text is parsed", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const value = await parseInSteps(JSON.stringify(Array.from({ length: 100_000 }, () => 1)));
  clearImmediate(timer);
  expect(value).toBeArrayOfSize(100_000);
  expect(turns).toBeGreaterThan(20);
});
