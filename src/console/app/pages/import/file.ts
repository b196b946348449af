import { type CsvReader, type FileRecord, startCsv } from "./csv.ts";

const marks = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
] as const;
/** The page answers between two slices. */
const sliceBytes = 262_144;

/** The records of a part of a file, and the bytes of the file up to its end. */
export type FilePart = { records: FileRecord[]; readBytes: number };

/** Reads a CSV file in parts: UTF-8, or UTF-16 with a byte-order mark. The first record is the header. */
export async function* readCsvFile(file: Blob): AsyncGenerator<FilePart, void> {
  const start = new Uint8Array(await file.slice(0, 3).arrayBuffer());
  const mark = marks.find(({ bytes }) => bytes.every((byte, i) => start[i] === byte));
  const decoder = new TextDecoder(mark?.encoding ?? "utf-8");
  let reader: CsvReader | undefined;
  for (let offset = 0; offset < file.size; offset += sliceBytes) {
    const end = Math.min(file.size, offset + sliceBytes);
    const isEnd = end === file.size;
    let text = decoder.decode(await file.slice(offset, end).arrayBuffer(), { stream: !isEnd });
    if (!reader) ({ reader, text } = startCsv(text));
    yield { records: reader.read(text, { isEnd }), readBytes: end };
  }
}

/** The names of the columns, and the first rows. */
export type FileStart = { header: string[]; rows: FileRecord[] };

/** Throws for files that are often taken for CSV, by their first bytes. */
async function assertCsv(file: Blob): Promise<void> {
  const bytes = new Uint8Array(await file.slice(0, 64).arrayBuffer());
  if (bytes[0] === 0x50 && bytes[1] === 0x4b)
    throw new Error("This is a zip file, such as a spreadsheet (.xlsx). Save it as CSV UTF-8 first.");
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    throw new Error("This file is compressed with gzip. Decompress it first.");
  if (/^\s*[{[]\s*["{[]/.test(new TextDecoder().decode(bytes)))
    throw new Error(
      "This file is JSON. Save it as CSV, or use accountd import with one object on each line.",
    );
}

/** Reads the start of a file. Throws if it has no header, or is no CSV. */
export async function readStart(file: Blob, maxRows: number): Promise<FileStart> {
  await assertCsv(file);
  const records: FileRecord[] = [];
  for await (const part of readCsvFile(file)) {
    records.push(...part.records);
    if (records.length > maxRows) break;
  }
  const [header, ...rows] = records;
  if (!header || !("cells" in header))
    throw new Error("The file has no header with the names of its columns.");
  return { header: header.cells, rows: rows.slice(0, maxRows) };
}
