import { expect, test } from "bun:test";
import fc from "fast-check";
import { readStart } from "../../src/console/app/pages/import/file.ts";
import {
  encodeText,
  encodingOf,
  type FileEncoding,
  fileEncodings,
  invalidBytesFault,
} from "../../src/shared/imports/encodings.ts";
import { FileDecoder } from "../../src/shared/imports/file-decoder.ts";
import { importWorld, nothing } from "./import-world.ts";

const others = fileEncodings.filter((name) => name !== "utf-8");

test.each(others)(
  "A file in %s is named with the option to add, in CSV and JSON lines, and read by the console",
  async (encoding) => {
    const { importBytes } = await importWorld();
    const csv = encodeText("externalId;name\na;Société\n", encoding);
    const json = encodeText('{"externalId":"a","name":"Société"}\n', encoding);
    for (const [name, bytes] of [
      ["file.csv", csv],
      ["file.jsonl", json],
    ] as const) {
      await expect(importBytes(bytes, { name })).rejects.toThrow(`Add --encoding ${encoding}`);
      const { counts } = await importBytes(bytes, { name, encoding });
      expect(counts.created + counts.unchanged).toBe(1);
    }
    const start = await readStart(new Blob([csv]), 20);
    expect([start.encoding, start.rows[0]?.cells]).toEqual([encoding, ["a", "Société"]]);
  },
);

test.each(fileEncodings)(
  "Rejected lines of a file in %s have its encoding, and the repaired file is imported with the same option",
  async (encoding) => {
    const { importBytes, names } = await importWorld();
    const text = "externalId;name;Société\na;\u201cAcme\u201d \u20ac;x\nb;;Zoë\n";
    const settings = { encoding, map: "Société=attributes.company" };
    const first = await importBytes(encodeText(text, encoding), settings);
    expect(first.counts).toEqual({ ...nothing, lines: 2, created: 1, rejected: 1 });
    const rejected = new FileDecoder(encoding).decode(first.rejectedBytes, true);
    expect(rejected).toBe("externalId;name;Société;line;reason\nb;;Zoë;3;name is required\n");
    const repaired = encodeText(rejected.replace("b;;", "b;Bête;"), encoding);
    expect((await importBytes(repaired, settings)).counts).toEqual({ ...nothing, lines: 1, created: 1 });
    expect([...(await names()).values()]).toEqual(["\u201cAcme\u201d \u20ac", "Bête"]);
  },
);

test("Rejected lines of a file with a byte-order mark are UTF-8 with the mark, whatever --encoding says", async () => {
  const { importBytes } = await importWorld();
  const bytes = encodeText("\uFEFFexternalId,name\na,\n", "utf-16le");
  for (const settings of [{}, { encoding: "windows-1252" }] as const)
    expect((await importBytes(bytes, settings)).rejectedText).toStartWith("\uFEFFexternalId,name,line");
});

test("A few invalid bytes in a file in UTF-8, and invalid bytes after its start, reject their lines only", async () => {
  const { importBytes } = await importWorld();
  const invalid = Buffer.from("bad,Soci\xe9t\xe9\n", "latin1");
  const valid = Buffer.from("a,Société\nb,Société\n");
  const header = Buffer.from("externalId,name\n");
  const reasons = (bytes: Uint8Array) => importBytes(bytes, {}).then((read) => read.reasons);
  expect(await reasons(Buffer.concat([header, valid, invalid]))).toEqual([[4, invalidBytesFault]]);
  const rows = Array.from({ length: 6_000 }, (_, i) => `${i},Account ${i}\n`).join("");
  expect(await reasons(Buffer.concat([header, Buffer.from(rows), invalid]))).toEqual([
    [6_002, invalidBytesFault],
  ]);
});

test("A file of another encoding is not taken for Windows-1252", async () => {
  const { importBytes } = await importWorld();
  // "имя" in Windows-1251, and more letters.
  const bytes = Buffer.from("externalId,name\na,\xe8\xec\xff\xe8\xec\xff\n", "latin1");
  await expect(importBytes(bytes)).rejects.toThrow(
    "is not UTF-8. Save it as UTF-8 first, or choose its encoding if it is Windows-1252 or UTF-16.",
  );
});

test("Labels of the Encoding Standard name the encodings; other encodings are none", () => {
  const labels = ["latin1", "ISO-8859-1", "cp1252", "utf8", "UTF-16", "utf-16be", "shift_jis", "none", ""];
  expect(labels.map(encodingOf)).toEqual([
    ...(["windows-1252", "windows-1252", "windows-1252", "utf-8", "utf-16le", "utf-16be"] as FileEncoding[]),
    ...[undefined, undefined, undefined],
  ]);
});

test("Every text of an encoding is decoded to itself in parts of any length, also every byte of Windows-1252", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  expect(encodeText(new FileDecoder("windows-1252").decode(bytes, true), "windows-1252")).toEqual(bytes);
  const property = fc.property(
    fc.string({ unit: "binary" }),
    fc.constantFrom("utf-8" as const, "utf-16le" as const, "utf-16be" as const),
    fc.integer({ min: 1, max: 9 }),
    (text, encoding, size) => {
      const decoder = new FileDecoder(encoding);
      const encoded = encodeText(`x${text}`, encoding);
      let decoded = "";
      for (let at = 0; at < encoded.length; at += size)
        decoded += decoder.decode(encoded.subarray(at, at + size), false);
      expect(decoded + decoder.decode(new Uint8Array(), true)).toBe(`x${text}`);
    },
  );
  fc.assert(property, { numRuns: 300 });
});
