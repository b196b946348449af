import { closeAfterTest } from "../support/cleanup.ts";
import type { Change } from "./change-world.ts";

type Fetch = (request: Request) => Response | Promise<Response>;
export type StreamReader = {
  status: number;
  headers: Headers;
  /** The next `count` changes. Throws when the stream ends before, or after 5 s. */
  take(count: number): Promise<Change[]>;
  /** Resolves with the text that was not taken when the stream has ended. */
  end(): Promise<string>;
  close(): Promise<void>;
};

/** Opens the stream of changes with a key, or with headers of a session, and reads its events. */
export async function openStream(
  fetch: Fetch,
  key: string | null,
  query = "",
  headers: Record<string, string> = {},
): Promise<StreamReader> {
  const request = new Request(`http://localhost/api/v1/changes/stream${query}`, {
    headers: { ...(key !== null && { "x-api-key": key }), ...headers },
  });
  const response = await fetch(request);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  closeAfterTest(async () => reader?.cancel());
  let text = "";

  /** Returns whether there is more. */
  async function read(): Promise<boolean> {
    const part = await Promise.race([reader?.read(), Bun.sleep(5_000).then(() => "timeout" as const)]);
    if (part === "timeout") throw new Error(`nothing more within 5 s after: ${text}`);
    text += part?.value ?? "";
    return part?.done === false;
  }

  return {
    status: response.status,
    headers: response.headers,
    async take(count) {
      const taken: Change[] = [];
      while (taken.length < count) {
        const end = text.indexOf("\n\n");
        if (end === -1) {
          if (!(await read())) throw new Error(`the stream has ended after ${taken.length} changes`);
          continue;
        }
        const [, id, data] = /^id: (\d+)\ndata: (.+)$/s.exec(text.slice(0, end)) ?? [];
        text = text.slice(end + 2);
        if (id === undefined || data === undefined) continue;
        const change: Change = JSON.parse(data);
        if (String(change.sequence) !== id) throw new Error(`the event ${id} has another change`);
        taken.push(change);
      }
      return taken;
    },
    async end() {
      while (await read());
      return text;
    },
    close: async () => reader?.cancel(),
  };
}
