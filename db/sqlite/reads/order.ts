import type { Value } from "../../engine.ts";

/** Compares rows of values as SQLite orders them: null, numbers, texts by their UTF-8 bytes. */
export function compareRows(a: readonly Value[], b: readonly Value[]): number {
  for (let i = 0; i < a.length; i += 1) {
    const difference = compareValues(a[i] ?? null, b[i] ?? null);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "number" && typeof b === "number") return a < b ? -1 : 1;
  return rankOfType(a) - rankOfType(b);
}

function rankOfType(value: Value): number {
  if (value === null) return 0;
  return typeof value === "number" ? 1 : 2;
}

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rankOfUnit(x) - rankOfUnit(y);
  }
  return a.length - b.length;
}

/** UTF-8 orders by code point: surrogates sort after all other UTF-16 units. */
function rankOfUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
