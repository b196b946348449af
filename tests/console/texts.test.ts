import { expect, test } from "bun:test";
import { join } from "node:path";

const transpiler = new Bun.Transpiler({ loader: "tsx" });
const app = join(import.meta.dir, "../../src/console/app");
/** Words of code that look like a text: keys of the keyboard, names of errors and headers, and values of the API. */
const codeWords =
  /^(?:Enter|Escape|Tab|Home|End|Delete|Backspace|Page(?:Up|Down)|Arrow(?:Up|Down|Left|Right)|[A-Z]\w*Error|Control\+K Meta\+K|Done|Declined|If-Match|GET|POST|PUT|PATCH|DELETE)$/;

/** The literals of a source that look like texts: a capital letter and a small one at their beginning. */
function textsIn(source: string): string[] {
  const code = transpiler.transformSync(source);
  const literals = code.matchAll(/"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g);
  return [...literals]
    .map(([, double = "", single = "", template = ""]) => double || single || template)
    .filter((literal) => /^\s*\p{Lu}\p{Ll}/u.test(literal) && !codeWords.test(literal));
}

test("texts of the console are in message files", async () => {
  const found: string[] = [];
  for await (const file of new Bun.Glob("**/*.{ts,tsx}").scan(app)) {
    if (file.startsWith("messages/")) continue;
    for (const text of textsIn(await Bun.file(join(app, file)).text())) found.push(`${file}: ${text}`);
  }
  expect(found).toEqual([]);
});

test("a text in code is found, as a literal, an attribute, a child or a template", () => {
  const lines = [
    "export const a = 'Save it';",
    ["export const b = (n) => `Row $", "{n}`;"].join(""),
    'export const c = <p title="Open">Hello <b>you</b></p>;',
  ];
  expect(lines.flatMap(textsIn)).toEqual(["Save it", expect.stringMatching(/^Row /), "Open", "Hello "]);
  expect(textsIn('export const a = "active"; if (key === "Enter") throw new ProblemError("x");')).toEqual([]);
});
