import { expect, test } from "bun:test";
import { fold } from "../../src/core/folding.ts";

/** Every Unicode code point except the surrogates. */
const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

/** The characters with another form. For all others, each rule compares the character with itself. */
const changing = characters.filter(
  (character) =>
    fold(character) !== character ||
    character.toUpperCase() !== character ||
    character.toLowerCase() !== character ||
    character.normalize("NFD") !== character ||
    character.normalize("NFC") !== character,
);

/** The characters, by their codes, for which a rule does not hold. */
function exceptions(holds: (character: string) => boolean): string[] {
  return changing.filter((character) => !holds(character)).map(codesOf);
}

function codesOf(text: string): string {
  return [...text].map((character) => `U+${character.codePointAt(0)?.toString(16)}`).join(" ");
}

test.each([
  ["Acme", "ACME"],
  ["É", "é"],
  ["\u00c9", "E\u0301"],
  ["\u00e9", "E\u0301"],
  ["\u1eadt", "A\u0302\u0323T"],
  ["Straße", "STRASSE"],
  ["Straße", "strasse"],
  ["STRAẞE", "straße"],
  ["ΟΔΟΣ", "οδος"],
  ["ΟΔΟΣ", "οδοσ"],
  ["ΟΔΟΣ", "ΟδΟς"],
  ["Σ", "ς"],
  ["ﬁnance", "FINANCE"],
  ["ﬃ", "ffi"],
  ["ŉ", "ʼn"],
  ["\u03b0", "\u1fe3"],
  ["ᾳ", "ΑΙ"],
  ["ǅ", "ǆ"],
  ["Ǆ", "ǆ"],
  ["ſ", "S"],
  ["\u212a", "k"],
  ["\u212b", "å"],
  ["\u2126", "ω"],
  ["µ", "Μ"],
  ["Ꭰ", "ꭰ"],
  ["Ᏸ", "ᏸ"],
  ["ა", "Ა"],
  ["𐐀", "𐐨"],
  ["İ", "i̇"],
])("%s and %s are the same text", (one, other) => {
  expect(fold(one)).toBe(fold(other));
});

test.each([
  ["ı", "i"],
  ["ı", "I"],
  ["İ", "i"],
  ["e", "é"],
  ["ss", "s"],
  ["a", "ａ"],
  ["ø", "o"],
  ["а", "a"],
])("%s and %s are different texts", (one, other) => {
  expect(fold(one)).not.toBe(fold(other));
});

test("a folded text is in lower case and in composed form", () => {
  expect(fold("ÉCOLE Straße Ltd.")).toBe("école strasse ltd.");
  expect(fold("")).toBe("");
});

test("the case folding of a dotless ı does not affect the letters next to it", () => {
  expect(fold("Iıİ IŞIK ışık")).toBe("iıi̇ işik ışık");
});

test("a folded part of a text is in the folded text, in any letter case", () => {
  expect(fold("Große Straße GmbH")).toContain(fold("STRASSE"));
  expect(fold("ΟΔΟΣ ΑΘΗΝΑΣ")).toContain(fold("οδος"));
  expect(fold("Σίσυφος")).toContain(fold("ΦΟΣ"));
});

test("folding is idempotent for every character", () => {
  expect(changing.length).toBeGreaterThan(15_000);
  expect(exceptions((character) => fold(fold(character)) === fold(character))).toEqual([]);
});

test("folding is idempotent for every letter with a mark", () => {
  const cased = characters.filter((character) => /\p{Cased}/u.test(character));
  expect(cased.length).toBeGreaterThan(4_000);
  for (const mark of ["\u0301", "\u0307", "\u0308", "\u0323", "\u0345", "\u0345\u0301"]) {
    const wrong = cased.filter((letter) => fold(fold(letter + mark)) !== fold(letter + mark));
    expect(wrong.map((letter) => codesOf(letter + mark))).toEqual([]);
  }
});

test("every character is equal to its composed and its decomposed form", () => {
  expect(
    exceptions((character) => {
      const folded = fold(character);
      return fold(character.normalize("NFD")) === folded && fold(character.normalize("NFC")) === folded;
    }),
  ).toEqual([]);
});

test("every character except the dotless ı is equal to its upper and its lower case", () => {
  const apart = exceptions((character) => {
    const folded = fold(character);
    return fold(character.toUpperCase()) === folded && fold(character.toLowerCase()) === folded;
  });
  expect(apart).toEqual(["U+131"]);
});

test("ASCII is folded to lower case", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("");
  expect(fold(ascii)).toBe(ascii.toLowerCase());
});
