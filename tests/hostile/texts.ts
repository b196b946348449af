import type { Random } from "../support/random.ts";

/** Texts for any member. */
export const sound = [
  ...["Acme", "a", "Éclair SA", "STRASSE", "straße", "ﬁne", "İstanbul", "日本語", "Ω≈ç√", "z̸̢̛a̷l̶g̵o̴"],
  ...["😀", "👩‍👩‍👧‍👦 family", "\u202eabc", "\u200b", "\ufeffbom", "\ud83d\ude00\ud83d\ude00"],
  ...["%", "_", "\\", "100%_\\", "'", '"', "'; DROP TABLE accounts; --", "`x`", "$1", "?1", ":id", "@x"],
  ...["__proto__", "constructor", "toString", "null", "undefined", "NaN", "true", "0", "-1", "1e400", "[]"],
  ...["<script>alert(1)</script>", "a\tb", "a\nb", "a\r\nb: c", "a b", "a/b", "../..", ".", "..", "a,b;c=d"],
];

/** Texts that are valid for few members, and unknown names. */
export const odd = [
  ...["\u0000", "a\u0000b", "\ud800", "\udc00\ud800", "\n", "", " ", "\u00a0\u2003", "\u0007"],
  ...["__proto__", "constructor", "prototype", "hasOwnProperty", "then", "toJSON", "length", "id"],
  ...["@", "a@", "a@b@c", "x".repeat(300), "😀".repeat(300), "javascript:alert(1)", "http://", "//x"],
];

/** Invalid timestamps, and those at the limits. */
export const oddMoments = [
  ...["2026-02-30", "2026-13-01", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00+24:00", "1767225600000"],
  ...["0000-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "+002026-01-01", "2026", "Thu, 1 Jan 2026"],
];

/** Queries and path segments with invalid percent-encoding or invalid numbers. */
export const oddParameters = [
  ...["", "%", "%zz", "%00", "%ff", "%c0%af", "%ed%a0%80", "%2e%2e", ".", "..", "%2F", "a%2Fb", ";", "#"],
  ...["-1", "+1", "%2B1", "01", "1.0", "1e3", "0x10", "9007199254740992", "99999999999999999999", "NaN"],
  ...[
    "null",
    "true",
    "__proto__",
    "constructor",
    "external",
    "*",
    "a".repeat(300),
    "%F0%9F%98%80".repeat(300),
  ],
];

const day = 86_400_000;

/** A timestamp in one of its valid forms, mostly of the last weeks. */
export function momentText(random: Random): string {
  const years = random.of([0, 0, 0, 0, 0, 1, 30, -1]);
  const time = Date.now() - years * 365 * day - random.below(40 * day);
  const text = new Date(time).toISOString();
  return random.of([text, text, text.slice(0, 10), text.replace("Z", ""), text.replace("Z", "+05:30")]);
}
