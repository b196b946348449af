import type { Snapshot, Values } from "../../engine.ts";
import { toRow } from "../../rendering.ts";
import type { Statement } from "../../statements.ts";
import { render } from "../connection.ts";
import type { ReaderProcess } from "./reader-process.ts";

/** One read in a process. `translate` converts an error of SQLite. */
export class ReaderSnapshot implements Snapshot {
  readonly isRemote = true;
  readonly now: number;
  readonly #process: ReaderProcess;
  readonly #translate: (error: unknown) => unknown;
  #hasEnded = false;

  constructor(process: ReaderProcess, now: number, translate: (error: unknown) => unknown) {
    this.now = now;
    this.#process = process;
    this.#translate = translate;
  }

  async all<R>(statement: Statement<R>, values: Values): Promise<R[]> {
    if (this.#hasEnded) throw new Error("the snapshot has ended: a read awaits each of its statements");
    const query = render(statement);
    try {
      const rows = await this.#process.all(query.sql, query.bind(values));
      return rows.map((row) => toRow(statement, row));
    } catch (error) {
      throw this.#translate(error);
    }
  }

  async first<R>(statement: Statement<R>, values: Values): Promise<R | undefined> {
    return (await this.all(statement, values))[0];
  }

  /** Called when the read has ended: a statement that it did not await fails from now on. */
  end(): void {
    this.#hasEnded = true;
  }
}
