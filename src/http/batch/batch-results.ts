import type { Problem } from "../../core/errors.ts";
import type { WriteReply } from "../../core/tenant/idempotency.ts";
import { problemBody } from "../replies/error-handler.ts";

/** Beyond this size of the results, a success has only the id of its row, and a problem has no `errors`. */
const maxResultBytes = 4_194_304;
/** A longer response is stored for its Idempotency-Key without the rows of its successes. */
const maxStoredBytes = 262_144;

/** The results of a batch as JSON texts. A row that is omitted is not kept in memory. */
export class BatchResults {
  readonly #requestId: string;
  readonly #texts: string[] = [];
  /** The results as they are stored, where they differ. */
  readonly #storedTexts: (string | undefined)[] = [];
  #bytes = 0;
  /** Whether the rows of further successes are omitted. */
  isFull = false;
  #failed = 0;

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  addSuccess({ status, body }: WriteReply): void {
    const omitted = omittedText(status, body);
    const text =
      omitted !== undefined && this.isFull ? omitted : JSON.stringify({ status, body: body ?? null });
    if (omitted !== undefined && !this.#hasRoom(text)) this.#add(omitted);
    else this.#add(text, omitted);
  }

  addFailure(problem: Problem): void {
    this.#failed += 1;
    const body = { ...problemBody(problem, this.#requestId) };
    const text = JSON.stringify({ status: problem.status, body });
    if (!this.#hasRoom(text))
      this.#add(JSON.stringify({ status: problem.status, body: { ...body, errors: undefined } }), text);
    else this.#add(text);
  }

  /** The body of the response, and the body of its replay if it differs. */
  bodies(): { body: string; storedBody?: string } {
    const body = this.#bodyOf(this.#texts);
    if (Buffer.byteLength(body) <= maxStoredBytes) return { body };
    return { body, storedBody: this.#bodyOf(this.#texts.map((text, i) => this.#storedTexts[i] ?? text)) };
  }

  /** False from the first text on that has no room. */
  #hasRoom(text: string): boolean {
    this.isFull ||= this.#bytes + Buffer.byteLength(text) > maxResultBytes;
    return !this.isFull;
  }

  #add(text: string, storedText?: string): void {
    this.#texts.push(text);
    this.#storedTexts.push(storedText);
    this.#bytes += Buffer.byteLength(text);
  }

  #bodyOf(texts: readonly string[]): string {
    const succeeded = texts.length - this.#failed;
    return `{"data":{"results":[${texts.join()}],"succeeded":${succeeded},"failed":${this.#failed}}}`;
  }
}

/** A success with the id of its row instead of the row; undefined without a body. */
function omittedText(status: number, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  // Safe: the body of an operation is the row that it has written.
  const { id } = (body as { data: { id: number } }).data;
  return JSON.stringify({ status, body: { data: { id } }, omitted: true });
}
