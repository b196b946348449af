import { expect, test } from "bun:test";
import { isSecret, newSecret } from "../src/api-keys/secret.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A text that ends with its own checksum, whatever stands before it. */
function summed(body: string): string {
  let rest = Bun.hash.crc32(body);
  let sum = "";
  for (let i = 0; i < 6; i += 1) {
    sum = digits.charAt(rest % 62) + sum;
    rest = Math.floor(rest / 62);
  }
  return body + sum;
}

test("only a text of a key's form, with its checksum, can be a key", () => {
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

test("every character of a key's random part is as likely as every other", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 4_000; i += 1)
    for (const one of newSecret().slice(3, 33)) counts.set(one, (counts.get(one) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1935 each, give or take 44: a character that one byte more stands for would come 2,344 times.
  for (const [one, count] of counts) expect([one, Math.abs(count - 1_935) < 270]).toEqual([one, true]);
});
