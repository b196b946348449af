import { expect, test } from "bun:test";
import { isSecret, newSecret } from "../../src/api-keys/secret.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The text followed by its checksum. */
function summed(body: string): string {
  let rest = Bun.hash.crc32(body);
  let sum = "";
  for (let i = 0; i < 6; i += 1) {
    sum = digits.charAt(rest % 62) + sum;
    rest = Math.floor(rest / 62);
  }
  return body + sum;
}

test("isSecret accepts only the form of a key with a valid checksum", () => {
  const random = "x".repeat(30);
  expect(isSecret(summed(`ak_${random}`))).toBe(true);
  expect(isSecret(newSecret())).toBe(true);
  for (const body of [
    "",
    `ak_${random}x`,
    `ak_${random.slice(1)}`,
    `xak_${random}`,
    `ak-${random}`,
    `ak_${random}${random}`,
  ])
    expect([body, isSecret(summed(body))]).toEqual([body, false]);
  expect(isSecret(summed(`ak_${random.slice(1)}-`))).toBe(false);
  expect(isSecret(`ak_${random}000000`)).toBe(false);
});

test("the characters of the random part of a key are uniformly distributed", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 4_000; i += 1)
    for (const character of newSecret().slice(3, 33)) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1,935 each with a standard deviation of 44. A character that had one byte more would occur 2,344 times.
  for (const [character, count] of counts)
    expect([character, Math.abs(count - 1_935) < 270]).toEqual([character, true]);
});
