import { bodyOf, isRead, methodOf, pathOf } from "./model-paths.ts";
import type { Reply } from "./model-replies.ts";
import type { Body } from "./model-rows.ts";
import type { Asked } from "./model-rules.ts";

/** The last reply to each GET with an entity tag, by key and path. */
export type ReplyCache = Map<string, { etag: string; reply: Reply }>;

/** A client of one key, with a cache that revalidates each stored reply: a wrong 304 gives an old reply. */
export class Client {
  readonly #fetch: (request: Request) => Response | Promise<Response>;
  readonly #secret: string;
  readonly #cache: ReplyCache;

  constructor(fetch: (request: Request) => Response | Promise<Response>, secret: string, cache: ReplyCache) {
    this.#fetch = fetch;
    this.#secret = secret;
    this.#cache = cache;
  }

  /** Throws when a reply has the entity tag of the stored one and is not 304. */
  async get(path: string): Promise<Reply> {
    const name = `${this.#secret} ${path}`;
    const stored = this.#cache.get(name);
    const response = await this.#request("GET", path, stored ? { "if-none-match": stored.etag } : {});
    const etag = response.headers.get("etag");
    if (stored && response.status === 304) return stored.reply;
    if (stored && etag === stored.etag) throw new Error(`${path} is sent again with the tag ${etag}`);
    const reply = await replyOf(response);
    if (etag !== null) this.#cache.set(name, { etag, reply });
    return reply;
  }

  send(asked: Asked): Promise<Reply> {
    if (isRead(asked.op)) return this.get(pathOf(asked));
    return this.#send(asked);
  }

  async #send(asked: Asked): Promise<Reply> {
    const { op, requestId, key, ifMatch, ifNoneMatch } = asked;
    const body = bodyOf(asked);
    const hasBody = op !== "delete";
    const headers = {
      ...(requestId !== undefined && { "x-request-id": requestId }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
      ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
      ...(hasBody && { "content-type": "application/json" }),
    };
    return replyOf(await this.#request(methodOf(op), pathOf(asked), headers, hasBody ? body : undefined));
  }

  async #request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Body,
  ): Promise<Response> {
    const init = {
      method,
      headers: { "x-api-key": this.#secret, ...headers },
      ...(body && { body: JSON.stringify(body) }),
    };
    return this.#fetch(new Request(`http://localhost/api/v1/${path}`, init));
  }
}

/** The cursor of the next page of a list. */
export function cursorOf({ body }: Reply): string | undefined {
  // Safe: the reply of a list, or a problem.
  return (body as { pagination?: { nextCursor?: string } }).pagination?.nextCursor ?? undefined;
}

async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text();
  const [, version] = /^"(\d+)\.\w+"$/.exec(response.headers.get("etag") ?? "") ?? [];
  return {
    status: response.status,
    body: text === "" ? {} : JSON.parse(text),
    ...(version !== undefined && { version: Number(version) }),
    ...(response.headers.get("idempotent-replayed") === "true" && { isReplayed: true }),
  };
}
