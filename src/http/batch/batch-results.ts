import type { Problem } from "../../core/errors.ts";
import { encodeList } from "../../core/lists/json-rows.ts";
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

  /** The body of the response as a text, or as bytes with the body of its replay. */
  bodies(): { body: string | Uint8Array; storedBody?: string } {
    const succeeded = this.#texts.length - this.#failed;
    const start = '{"data":{"results":[';
    const end = `],"succeeded":${succeeded},"failed":${this.#failed}}}`;
    const maxBytes = start.length + this.#bytes + this.#texts.length + end.length;
    if (maxBytes <= maxStoredBytes) return { body: `${start}${this.#texts.join()}${end}` };
    const storedTexts = this.#texts.map((text, i) => this.#storedTexts[i] ?? text);
    return {
      body: encodeList(start, this.#texts, end, maxBytes),
      storedBody: `${start}${storedTexts.join()}${end}`,
    };
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
}

/** A success with the id of its row instead of the row; undefined without a body. */
function omittedText(status: number, body: unknown): string | undefined {
  if (body === undefined) return undefined;
  // Safe: the body of an operation is the row that it has written.
  const { id } = (body as { data: { id: number } }).data;
  return JSON.stringify({ status, body: { data: { id } }, omitted: true });
}
