import { readRows } from "./lists.ts";
import type { Methods } from "./methods.ts";
import type { operations } from "./schema.ts";

type Id = keyof operations;
type Member<T, Name extends string> = T extends { [N in Name]?: infer Value } ? NonNullable<Value> : never;

/** The parameters of an operation's path and of its query. */
export type Path<I extends Id> = Member<operations[I]["parameters"], "path">;
export type Query<I extends Id> = Member<operations[I]["parameters"], "query">;
/** The query of a list, without the parameters of pages. */
export type ListQuery<I extends Id> = Omit<Query<I>, "page" | "cursor">;
/** The body of a request. A member that the operation does not have is an error. */
export type Body<I extends Id> = Member<
  Member<Member<operations[I], "requestBody">, "content">,
  "application/json"
>;

type Success<Replies> = {
  [Status in keyof Replies & (200 | 201 | 204)]: Replies[Status] extends {
    content: { "application/json": infer Content };
  }
    ? Content
    : undefined;
}[keyof Replies & (200 | 201 | 204)];
/** The body of a success. */
type Reply<I extends Id> = Success<operations[I]["responses"]>;
/** What a success has as `data`. */
export type Data<I extends Id> = Reply<I> extends infer R ? (R extends { data: infer D } ? D : R) : never;
type RowOf<I extends Id> = Data<I> extends (infer Row)[] ? Row : never;

export type RequestOptions = {
  signal?: AbortSignal;
  /** Such as `If-Match` and `Idempotency-Key`. */
  headers?: Record<string, string>;
};
type Init = {
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  options?: RequestOptions | undefined;
};
type Send = (path: string, init: object) => Promise<{ data: unknown }>;

/** Sends requests of operations, and takes the data out of the replies. */
export type Requests = ReturnType<typeof createRequests>;

export function createRequests(methods: Methods) {
  async function send(method: keyof Methods, path: string, init: Init, parseAs = "json"): Promise<unknown> {
    const { path: names, query, body, options = {} } = init;
    // Otherwise the server ignores members that it does not know.
    const headers = { ...(body !== undefined && { Prefer: "handling=strict" }), ...options.headers };
    const { signal } = options;
    const params = { path: names, query };
    // Safe: the generated functions have the types of the operation.
    const { data } = await (methods[method] as Send)(path, {
      ...{ params, headers, parseAs },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    return data;
  }

  return {
    /** The data of the reply. Throws `ProblemError`, as all of these functions. */
    async call<I extends Id>(method: keyof Methods, path: string, init: Init): Promise<Data<I>> {
      const reply = await send(method, path, init);
      const hasData = typeof reply === "object" && reply !== null && "data" in reply;
      // Safe: the reply to the operation.
      return (hasData ? reply.data : reply) as Data<I>;
    },
    /** The bytes of an export. */
    async stream<I extends Id>(path: string, init: Init & { query?: Query<I> | undefined }) {
      // Safe: `parseAs`.
      return (await send("GET", path, init, "stream")) as ReadableStream<Uint8Array>;
    },
    /** A page of a list, with its pagination. */
    async page<I extends Id>(path: string, init: Init): Promise<Reply<I>> {
      // Safe: the reply to the operation.
      return (await send("GET", path, init)) as Reply<I>;
    },
    /** The rows of a list from its beginning to its end, by cursors. */
    rows<I extends Id>(path: string, init: Init): AsyncGenerator<RowOf<I>, void, undefined> {
      return readRows(({ pageSize, cursor }) =>
        send("GET", path, { ...init, query: { pageSize, ...init.query, cursor } }),
      );
    },
  };
}
