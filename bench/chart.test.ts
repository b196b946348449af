import { expect, test } from "bun:test";
import { chartOf } from "./chart.ts";
import type { Cell, Row } from "./results.ts";

const contestants = [
  { name: "accountd", label: "accountd" },
  { name: "floor", label: "Bun & SQL, <nothing> checked" },
  { name: "usual", label: "as documented" },
];

function cellOf(contestant: string, perSecond: number, more: Partial<Cell> = {}): Cell {
  return { contestant, perSecond, p50: 1, p99: 1, p999: 1, rounds: [], ...more };
}

function rowOf(title: string, ...cells: Cell[]): Row {
  return { name: title, title, cells, verdicts: [] };
}

type Element = { name: string; attributes: Record<string, string>; text: string };

/** The elements of an XML text in the order of their end tags. Throws if it is not well-formed. */
function parse(xml: string): Element[] {
  const [open, closed]: [Element[], Element[]] = [[], []];
  const token = /<\/([\w-]+)>|<([\w-]+)((?: [\w:-]+="[^"<]*")*) ?(\/?)>|([^<]+)/y;
  while (token.lastIndex < xml.length) {
    const at = token.lastIndex;
    const [all = "", end, start, attributes = "", isEmpty, text] = token.exec(xml) ?? [];
    if (/&(?!(amp|lt|gt|quot|apos);)/.test(all) || all === "")
      throw new Error(`at ${xml.slice(at, at + 50)}`);
    const last = open.at(-1);
    if (start !== undefined) {
      if (!last && closed.length > 0) throw new Error("a second root");
      const pairs = [...attributes.matchAll(/ ([\w:-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]);
      open.push({ name: start, attributes: Object.fromEntries(pairs), text: "" });
    } else if (text !== undefined) {
      if (last) last.text += text;
      else if (text.trim() !== "") throw new Error("text outside the root");
    }
    if (end === undefined && isEmpty !== "/") continue;
    const ended = open.pop();
    if (!ended || (end !== undefined && end !== ended.name)) throw new Error(`${end} was not begun`);
    closed.push(ended);
  }
  if (open.length > 0) throw new Error(`${open.at(-1)?.name} was not ended`);
  return closed;
}

const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&amp;", "&");
const textsOf = (svg: string) =>
  parse(svg)
    .filter(({ name }) => name === "text")
    .map(({ text }) => unescaped(text));
/** The elements with the height of a bar. */
const barsOf = (svg: string) =>
  parse(svg).flatMap(({ name, attributes: { height, fill = "", width, y } }) =>
    name === "rect" && height === "13" ? [{ fill, length: Number(width), y: Number(y) }] : [],
  );

const rows = [
  rowOf("get & list", cellOf("accountd", 1_000), cellOf("floor", 100, { ratio: 10 }), cellOf("usual", 10)),
  rowOf("search <a>", cellOf("accountd", 31.6), cellOf("usual", 20, { failure: "gone" })),
];

test.each([
  "<a>",
  "<a><b></a></b>",
  "<a>&</a>",
  "<a b=c/>",
  "<a/><b/>",
  "<a>1 < 2</a>",
  '<a b="<"/>',
  "x<a/>",
])("%p is not well-formed", (xml) => expect(() => parse(xml)).toThrow());

test("the chart is a well-formed picture, with an xmlns and its own size", () => {
  const svg = parse(chartOf(rows, contestants, "AMD & Sons <2 cores>")).at(-1);
  expect(svg?.name).toBe("svg");
  expect(svg?.attributes).toMatchObject({ xmlns: "http://www.w3.org/2000/svg", width: "1000" });
  expect(svg?.attributes.viewBox).toBe(`0 0 1000 ${svg?.attributes.height}`);
});

test("it has every contestant's label, every work, and the machine", () => {
  const texts = textsOf(chartOf(rows, contestants, "AMD & Sons <2 cores>"));
  expect(texts).toContain("accountd");
  expect(texts).toContain("floor: Bun & SQL, <nothing> checked");
  expect(texts).toContain("usual: as documented");
  expect(texts).toContain("get & list");
  expect(texts).toContain("search <a>");
  expect(texts.some((text) => text.endsWith(" AMD & Sons <2 cores>"))).toBe(true);
});

test("bars have their contestant's colour of the legend, their figures next to them, and do not overlap", () => {
  const svg = chartOf(rows, contestants, "");
  const marks = parse(svg).filter(({ name, attributes }) => name === "rect" && attributes.width === "12");
  const [accountd, floor, usual] = marks.map(({ attributes }) => attributes.fill ?? "");
  expect(new Set([accountd, floor, usual]).size).toBe(3);
  expect(barsOf(svg).map(({ fill }) => fill)).toEqual([accountd, floor, usual, accountd].map(String));
  const tops = barsOf(svg).map(({ y }) => y);
  expect(tops.every((y, i) => i === 0 || y > (tops[i - 1] ?? y) + 13)).toBe(true);
  expect(textsOf(svg)).toContain("1,000");
  expect(textsOf(svg)).toContain("100  (accountd 10.0×)");
});

test("a tenfold rate is one step longer, from the minimum to the maximum of the scale", () => {
  const [most = 0, middle = 0, least = 0, other = 0] = barsOf(chartOf(rows, contestants, "")).map(
    ({ length }) => length,
  );
  expect(least).toBe(1);
  expect(most).toBeCloseTo(2 * middle, 0);
  expect(other).toBeCloseTo(middle / 2, 0);
  const texts = textsOf(
    chartOf([rowOf("get", cellOf("accountd", 120), cellOf("floor", 0.5))], contestants, ""),
  );
  expect(["0.1", "1", "10", "100", "1,000"].filter((step) => !texts.includes(step))).toEqual([]);
});

test("invalid and missing figures have no bar, and a work without bars is omitted", () => {
  const svg = chartOf(
    [
      ...rows,
      rowOf(
        "failed",
        cellOf("accountd", 9, { failure: "gone" }),
        cellOf("floor", Number.NaN),
        cellOf("usual", 0),
      ),
    ],
    contestants,
    "",
  );
  expect(barsOf(svg)).toHaveLength(4);
  expect(textsOf(svg)).not.toContain("failed");
  expect(svg).not.toContain("NaN");
});

test("everything is inside the picture", () => {
  const all = Array.from({ length: 20 }, (_, i) =>
    rowOf(`work ${i}`, ...contestants.map(({ name }) => cellOf(name, 10 ** (i % 6)))),
  );
  const elements = parse(chartOf(all, contestants, ""));
  const bottom = Number(elements.at(-1)?.attributes.height);
  const shown = elements.filter(({ name }) => name === "rect" || name === "text" || name === "line");
  const outside = shown.filter(({ attributes: { x, x2, y, y2, width = "0" } }) => {
    const [right, lowest] = [Number(x ?? x2) + Number(width), Number(y ?? y2 ?? 0)];
    return !(Number(x ?? x2 ?? 0) >= 0 && lowest >= 0 && lowest <= bottom) || right > 1_000;
  });
  expect(shown.length).toBeGreaterThan(150);
  expect(outside.filter(({ attributes }) => attributes.class !== "ground")).toEqual([]);
});
