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

/** Reads the start of a file. Throws if it has no header. */
export async function readStart(file: Blob, maxRows: number): Promise<FileStart> {
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
