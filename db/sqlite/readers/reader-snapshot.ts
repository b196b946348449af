import type { Snapshot, Values } from "../../engine.ts";
import { toRow } from "../../rendering.ts";
import type { Statement } from "../../statements.ts";
import { render } from "../connection.ts";
import type { ReaderProcess } from "./reader-process.ts";

/** One read in a process. `translate` converts an error of SQLite. After `end`, a statement that it did not await fails. */
export function createReaderSnapshot(
  process: ReaderProcess,
  now: number,
  translate: (error: unknown) => unknown,
): Snapshot & { end(): void } {
  let hasEnded = false;

  async function all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    if (hasEnded) throw new Error("the snapshot has ended: a read awaits each of its statements");
    const query = render(statement);
    try {
      const rows = await process.all(query.sql, query.bind(values));
      return rows.map((row) => toRow(statement, row));
    } catch (error) {
      throw translate(error);
    }
  }

  const first = async <R>(statement: Statement<R>, values: Values) => (await all(statement, values))[0];
  const end = () => {
    hasEnded = true;
  };
  return { isRemote: true, now, all, first, end };
}
