import { expect, test } from "bun:test";
import { foldAddress, foldAddressPart } from "../../src/core/folding.ts";

test.each([
  ["Ada@X.IO", "ada@x.io"],
  ["JOSÉ@x.io", "jose\u0301@x.io"],
  ["ΝΊΚΟΣ@x.io", "νίκος@x.io"],
  ["STRAẞE@x.io", "straße@x.io"],
  ["İ@x.io", "i\u0307@x.io"],
  // The Kelvin sign is a K in NFC.
  ["\u212a@x.io", "k@x.io"],
  ["info@müller.de", "info@xn--mller-kva.de"],
  ["info@MÜLLER.De", "INFO@XN--MLLER-KVA.DE"],
  ["info@mu\u0308ller.de", "info@müller.de"],
  ["info@STRAẞE.example", "info@straße.example"],
  ["info@ΟΔΟΣ", "info@οδοσ"],
  ["info@müller。de", "info@müller.de"],
  ["info@ｅxample.com", "info@example.com"],
  ["é@EXAMPLE.com", "É@example.COM"],
  ['"Ä@b"@Müller.de', '"ä@b"@müller.de'],
  ["a@b@MÜLLER.de", "a@b@xn--mller-kva.de"],
  ["Ä user id", "ä USER ID"],
  ["Ä@", "ä@"],
])("%s and %s are the same address", (one, other) => {
  expect(foldAddress(one)).toBe(foldAddress(other));
});

test.each([
  ["straße@x.io", "strasse@x.io"],
  ["info@straße.example", "info@strasse.example"],
  ["\u017f@x.io", "s@x.io"],
  ["ﬁ@x.io", "fi@x.io"],
  ["ı@x.io", "i@x.io"],
  ["οδος@x.io", "οδοσ@x.io"],
  ["müller@x.io", "xn--mller-kva@x.io"],
  ["info@mueller.de", "info@müller.de"],
  // Other ASCII characters than those of domains: a URL would end or be decoded there.
  ["info@müller.de/x", "info@müller.de"],
  ["info@müller.de?x", "info@müller.de"],
  ["info@müller.de#x", "info@müller.de"],
  ["info@m%C3%BCller.de", "info@müller.de"],
  ["info@ü%41.de", "info@üa.de"],
  ["info@müller.de\u0001", "info@müller.de"],
  ["info@müller.de:25", "info@müller.de"],
  ["x@müller.de@y.io", "x@xn--mller-kva.de@y.io"],
])("%s and %s are different addresses", (one, other) => {
  expect(foldAddress(one)).not.toBe(foldAddress(other));
});

test("an address whose domain has no ASCII form is compared in NFC and lower case", () => {
  expect(foldAddress("Info@xn--Ü.de")).toBe("info@xn--ü.de");
  expect(foldAddress("Info@A\u200dÜ.de")).toBe("info@a\u200dü.de");
  expect(foldAddress("Info@U\u0308/X")).toBe("info@ü/x");
});

test("ASCII is folded to lower case, also in an invalid domain", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join("");
  expect(foldAddress(ascii)).toBe(ascii.toLowerCase());
  expect(foldAddress("Info@XN--A")).toBe("info@xn--a");
});

test("folding is idempotent for every assigned character, in the local part and in the domain", () => {
  const differing: string[] = [];
  for (let code = 0; code < 0x110000; code += 1) {
    const character = String.fromCodePoint(code);
    // Unassigned and private characters, and surrogates, are folded to themselves.
    if (/[\p{Cn}\p{Co}\p{Cs}]/u.test(character)) continue;
    for (const text of [`a${character}b@x.io`, `a@b${character}c.io`]) {
      const folded = foldAddress(text);
      if (foldAddress(folded) !== folded) differing.push(code.toString(16));
    }
  }
  expect(differing).toEqual([]);
});

test("a part of an address is in the folded address: any part of a local part, whole labels of a domain", () => {
  const found = (address: string, part: string) => {
    const { local, domain } = foldAddressPart(part);
    return [local, domain].some((text) => foldAddress(address).includes(text));
  };
  for (const part of ["straße", "STRAẞE", "traß", "straße@", "straße@müller.de", "müller", "MÜLLER.de"])
    expect([part, found("Straße@müller.de", part)]).toEqual([part, true]);
  for (const part of ["xn--mller-kva", "@müller.de", "@xn--mller", ".de"])
    expect([part, found("straße@Müller.de", part)]).toEqual([part, true]);
  for (const part of ["strasse", "mülle", "mueller"])
    expect([part, found("straße@müller.de", part)]).toEqual([part, false]);
});
