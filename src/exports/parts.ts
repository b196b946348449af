import { LateRead, NoReader, TooManyReads } from "../../db/errors.ts";
import { fastPollMilliseconds } from "../../db/timer.ts";
import { Problem } from "../core/errors.ts";
import {
  type CursorPagination,
  defaultPageSize,
  type PageRequest,
  type Pagination,
} from "../core/lists/paging.ts";
import { formatEndLine } from "../shared/imports/import-lines.ts";
import { type ExportedRow, type ExportStyle, formatHeader, formatRows } from "./formats.ts";

/** Rows of one part: a few milliseconds, after which other requests are answered. */
const maxRowsOfPart = 200;
/** The characters of a part with long rows are about this many, at most twice as many. */
const partLength = 500_000;

type PartRows = { rows: readonly ExportedRow[]; pagination: Pagination | CursorPagination };
type ExportText = ExportStyle & { columns: readonly string[]; hasEndLine: boolean };

/**
 * The error of a part that is not the first. Undefined if it found no room among other reads: the part is read again. The
 * query was valid: a problem means that an attribute has another type now.
 */
function interruptionBy(error: unknown): unknown {
  if (error instanceof LateRead || (error instanceof TooManyReads && !(error instanceof NoReader)))
    return undefined;
  return error instanceof Problem
    ? new Error(`an export ended early: ${error.code}`, { cause: error })
    : error;
}

/**
 * The pages of a list as parts of one text, each read when it is requested. The part of a page without rows is empty, and
 * so is one for which no reader is free: it is requested again while there is a client. `hasEndLine`: the text ends in the
 * line of `formatEndLine`. Throws what `readPage` throws.
 */
export async function* partsOf(
  readPage: (page: PageRequest) => Promise<PartRows>,
  { columns, hasEndLine, ...style }: ExportText,
): AsyncGenerator<string, void> {
  let start = formatHeader(style, columns);
  let rowCount = 0;
  // The length of the rows is not known.
  let pageSize = defaultPageSize;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const read: PartRows | undefined = await readPage({ page: 1, pageSize, cursor }).catch(
      (error: unknown) => {
        const interruption = cursor === "" ? error : interruptionBy(error);
        if (interruption !== undefined) throw interruption;
        return undefined;
      },
    );
    if (!read) {
      // No reader was free.
      await Bun.sleep(fastPollMilliseconds);
      yield "";
      continue;
    }
    const { rows, pagination }: PartRows = read;
    const text = formatRows(style, columns, rows);
    const fitting = Math.floor((rows.length * partLength) / Math.max(text.length, 1));
    if (rows.length > 0) pageSize = Math.min(Math.max(fitting, 1), maxRowsOfPart);
    // Read again with fewer rows.
    if (text.length > 2 * partLength && rows.length > 1) continue;
    cursor = "nextCursor" in pagination ? pagination.nextCursor : null;
    rowCount += rows.length;
    yield start + text;
    start = "";
  }
  if (hasEndLine) yield formatEndLine(rowCount);
}
