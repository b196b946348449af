import { DatabaseDamaged, errorCode, isDamage, UniqueViolation } from "../errors.ts";
import { explainStorageError } from "./storage-errors.ts";

/** Records whether a damaged page was read. */
export class DamageMonitor {
  #isDamaged = false;
  readonly #file: string;
  readonly #onDamage: () => void;

  /** `onDamage` is called once, at the first damaged page. */
  constructor(file: string, onDamage: () => void = () => {}) {
    this.#file = file;
    this.#onDamage = onDamage;
  }

  /** Records damage, and returns the error that callers get for an error of SQLite. */
  translate(error: unknown): unknown {
    if (isDamage(error) && !this.#isDamaged) {
      this.#isDamaged = true;
      this.#onDamage();
    }
    if (errorCode(error) !== "SQLITE_CONSTRAINT_UNIQUE" || !(error instanceof Error))
      return explainStorageError(this.#file, error);
    return new UniqueViolation(error.message.replace("UNIQUE constraint failed: ", ""));
  }

  /** Throws DatabaseDamaged when a damaged page was read. */
  assertSound(): void {
    if (this.#isDamaged) throw new DatabaseDamaged("The database is damaged. Restore a backup.");
  }
}
