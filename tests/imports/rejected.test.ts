import { expect, test } from "bun:test";
import fc from "fast-check";
import { importWorld } from "./import-world.ts";

test("Rejected lines are escaped like an export; numbers and escaped cells stay as they are", async () => {
  const { importBytes } = await importWorld();
  const cells = ["=1+1", "'=1", "''@x", "-5", "'-5", "+1e3", "-5 apples", "@x", "'plain"];
  const rows = cells.map((cell) => `,${cell}`);
  const { rejectedText } = await importBytes(`externalId,=name\n${rows.join("\n")}\n`, {
    map: "=name=name",
  });
  expect(rejectedText.split("\n").map((line) => line.split(",")[1])).toEqual([
    ...["'=name", "'=1+1", "'=1", "''@x", "-5", "'-5", "+1e3", "'-5 apples", "'@x", "'plain"],
    undefined,
  ]);
});

test("The file of rejected lines has the values of the imported one, and its byte-order mark", async () => {
  const { importBytes, call, names } = await importWorld();
  const parts = ['"', '""', " ", "\t", "\n", "\r", ",", ";", "'", "=", "-", "1", "a", "\u00a0"];
  const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const property = fc.asyncProperty(
    fc.array(fc.string({ unit: fc.constantFrom(...parts), minLength: 1, maxLength: 6 }), { minLength: 20 }),
    fc.constantFrom("", "\uFEFF"),
    async (texts, mark) => {
      const csvOf = (status: string) => [
        `${mark}externalId,=a;b,status`,
        ...texts.map((text, i) => `${i},${quote(`${text}.`)},${status}`),
      ];
      const settings = { map: "=a;b=name" };
      await importBytes(csvOf("active").join("\n"), settings);
      const expected = await names();
      const { rejectedText, counts } = await importBytes(csvOf("x").join("\n"), settings);
      expect(counts.rejected).toBe(texts.length);
      expect(rejectedText.startsWith("\uFEFF")).toBe(mark !== "");
      const accounts = texts.map((_, i) => ({ externalId: `${i}`, name: "changed" }));
      await call("POST", "/api/v1/accounts/batch", { accounts });
      await importBytes(rejectedText.replaceAll(/,x,(\d+,"status must)/g, ",,$1"), settings);
      expect(await names()).toEqual(expected);
    },
  );
  await fc.assert(property, { numRuns: 10 });
});
