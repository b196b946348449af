import { expect } from "bun:test";

/** The problem of a request with one invalid member, for `toMatchObject`. */
export function invalidRequest(pointer: string, code: string) {
  return { status: 400, code: "invalid_request", errors: [expect.objectContaining({ pointer, code })] };
}
