import type { CheckRequest } from "./check-requests.ts";

export type CheckedReply = { request: string; reply: string };

/** A line for each reply that differs from the expected one. `reduce` removes what is not compared. */
export function differencesOf(
  replies: CheckedReply[],
  expected: CheckedReply[],
  reduce = (reply: string) => reply,
): string[] {
  return replies.flatMap(({ request, reply }, i) => {
    const [actual, wanted] = [reply, expected[i]?.reply ?? ""].map(reduce);
    return actual === wanted ? [] : [`${request}\n  ${actual}\n  instead of\n  ${wanted}`];
  });
}

/** Sends a request of the check. The content of an error is omitted from the reply. */
export async function replyOf(
  port: number,
  request: CheckRequest,
  newValues: NewValues,
): Promise<CheckedReply> {
  const { method, path, key, body } = request;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { "x-api-key": key, ...(body && { "content-type": "application/json" }) },
    ...(body && { body }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type")?.split(";")[0];
  const requestText = `${method} ${path} ${body?.slice(0, 200) ?? ""}`;
  // The texts of errors differ between contestants.
  const content = response.ok ? text : "";
  const reply = `${response.status} ${type} ${response.headers.get("location") ?? ""} ${content}`;
  return { request: requestText, reply: newValues.replaceIn(reply) };
}

/** Replaces the timestamps since the start, and the ids of created accounts, by their rank: an engine may skip ids. */
export class NewValues {
  readonly #since = new Date().toISOString();
  readonly #timestamps: string[] = [];
  readonly #ids: string[] = [];

  replaceIn(reply: string): string {
    const created = /^201 \S+ \/api\/v1\/accounts\/(\d+) /.exec(reply)?.[1];
    if (created) this.#ids.push(created);
    return reply
      .replace(/^(201 \S+ \/api\/v1\/accounts\/)(\d+)/, (_, path, id) => path + this.#nameOf(id))
      .replaceAll(/"id":(\d+)/g, (_, id) => `"id":${this.#nameOf(id)}`)
      .replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (quoted, timestamp) => {
        if (timestamp < this.#since) return quoted;
        if (!this.#timestamps.includes(timestamp)) this.#timestamps.push(timestamp);
        return `"timestamp ${this.#timestamps.indexOf(timestamp)}"`;
      });
  }

  #nameOf(id: string): string {
    return this.#ids.includes(id) ? `new-${this.#ids.indexOf(id)}` : id;
  }
}
