import { expect, test } from "bun:test";
import { join } from "node:path";

const css = await Bun.file(join(import.meta.dir, "../../src/console/app/styles/tokens.css")).text();
const themes = { light: 0, dark: 1 } as const;
const tiers = ["healthy", "attention", "at-risk", "critical"];
/** What a reader sees of linear red, green and blue (Machado, Oliveira, Fernandes 2009, complete deficiency). */
const readers: Record<string, number[][]> = {
  "all colours": [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  "no red": [
    [0.152, 1.053, -0.205],
    [0.115, 0.786, 0.099],
    [-0.004, -0.048, 1.052],
  ],
  "no green": [
    [0.367, 0.861, -0.228],
    [0.28, 0.673, 0.047],
    [-0.012, 0.043, 0.969],
  ],
};

type Color = [number, number, number];

/** Linear red, green and blue of a token. */
function colorOf(token: string, theme: keyof typeof themes): Color {
  const values = new RegExp(`--${token}: light-dark\\(#(\\w{6}), #(\\w{6})\\)`).exec(css);
  const hex = values?.[themes[theme] + 1] ?? "";
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [red, green, blue];
}

const transform = (matrix: readonly number[][], color: readonly number[]) =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * (color[i] ?? 0), 0));

/** Lightness and hue in Oklab. */
function oklabOf(color: readonly number[]): number[] {
  const cones = [
    [0.4122, 0.5363, 0.0514],
    [0.2119, 0.6807, 0.1074],
    [0.0883, 0.2817, 0.63],
  ];
  const axes = [
    [0.2105, 0.7936, -0.0041],
    [1.978, -2.4286, 0.4506],
    [0.0259, 0.7828, -0.8087],
  ];
  return transform(axes, transform(cones, color).map(Math.cbrt));
}

function contrast(one: Color, other: Color): number {
  const luminance = ([red, green, blue]: Color) => 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  const [a, b] = [luminance(one), luminance(other)];
  return Math.max(a, b) / Math.min(a, b);
}

for (const theme of ["light", "dark"] as const)
  test(`tiers next to each other differ in colour, also without red or green, and from the ground: ${theme}`, () => {
    for (const tier of tiers)
      expect(contrast(colorOf(tier, theme), colorOf("surface", theme))).toBeGreaterThan(3);
    for (const [reader, matrix] of Object.entries(readers))
      for (const [i, tier] of tiers.slice(1).entries()) {
        const [a, b] = [tiers[i] ?? "", tier].map((name) => oklabOf(transform(matrix, colorOf(name, theme))));
        const distance = Math.hypot(...(a ?? []).map((value, axis) => value - (b?.[axis] ?? 0)));
        expect({ tier, reader, isClear: distance > 0.14 }).toEqual({ tier, reader, isClear: true });
      }
  });
