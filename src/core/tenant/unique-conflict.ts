import { Problem } from "../errors.ts";
import type { TenantReader } from "./statements.ts";

type FindProblem = (reader: TenantReader) => Promise<Problem>;

/**
 * The problem of a row that may have several values of other rows. An engine reports one of them, and PostgreSQL runs no
 * further statement before the write is undone: `find` reads then which one the caller gets.
 */
export class UniqueConflict extends Problem {
  readonly find: FindProblem;

  constructor({ code, message, errors }: Problem, find: FindProblem) {
    super(code, { detail: message, errors });
    this.find = find;
  }

  override withPrefix(prefix: string): Problem {
    const find: FindProblem = async (reader) => (await this.find(reader)).withPrefix(prefix);
    return new UniqueConflict(super.withPrefix(prefix), find);
  }
}
