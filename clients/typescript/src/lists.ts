import type { Methods } from "./methods.ts";
import { sleep } from "./retries.ts";
import type { components, paths } from "./schema.ts";

type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } };
}
  ? NonNullable<Query>
  : never;

/** The paths of the lists that take a cursor. */
export type ListPath = {
  [Path in keyof paths]: "cursor" extends keyof QueryOf<Path> ? Path : never;
}[keyof paths];

/** A row of a list. */
export type Row<Path extends ListPath> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": { data: (infer R)[] } } } } };
}
  ? R
  : never;

type Query<Path extends ListPath> = { query?: Omit<QueryOf<Path>, "page" | "cursor"> };

/** The parameters of a list, without those of pages. Required where the path has parameters. */
export type ListInit<Path extends ListPath> = { signal?: AbortSignal } & (paths[Path] extends {
  get: { parameters: { path: infer P } };
}
  ? { params: Query<Path> & { path: P } }
  : { params?: Query<Path> });

/** The argument after the path of a list. */
export type ListArguments<Path extends ListPath> = Path extends `${string}{${string}`
  ? [init: ListInit<Path>]
  : [init?: ListInit<Path>];

type AnyInit = { params?: { query?: object; path?: object }; signal?: AbortSignal };
type Page<R> = { data: R[]; pagination: { nextCursor: string | null } };
type Get = (path: string, init: object) => Promise<{ data: unknown }>;

/**
 * The rows of a list, from its beginning to its end, by cursors: rows that are created or deleted meanwhile neither
 * repeat nor hide others. `pageSize` is 100 by default. Throws `ProblemError`.
 */
export async function* readList<Path extends ListPath>(
  { GET }: Methods,
  path: Path,
  ...[init]: ListArguments<Path>
): AsyncGenerator<Row<Path>, void, undefined> {
  const { params, signal }: AnyInit = init ?? {};
  yield* readRows<Row<Path>>(async (position) => {
    const query = { ...position, ...params?.query, cursor: position.cursor };
    // Safe: ListPath has the lists with cursors only.
    return (await (GET as Get)(path, { params: { ...params, query }, ...(signal && { signal }) })).data;
  });
}

/** The rows of all pages of a list. `readPage` returns the reply to a cursor, which has the next one. */
export async function* readRows<R>(
  readPage: (position: { pageSize: number; cursor: string }) => Promise<unknown>,
): AsyncGenerator<R, void, undefined> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    // Safe: the reply of a list to a cursor.
    const page = (await readPage({ pageSize: 100, cursor })) as Page<R>;
    yield* page.data;
    cursor = page.pagination.nextCursor;
  }
}

/** A change of the organization's data. */
export type Change = components["schemas"]["Change"];

export type ChangesInit = {
  /** A sequence number: the changes after it. Default: 0, all that are stored. */
  after?: number;
  resource?: NonNullable<QueryOf<"/api/v1/changes">["resource"]>;
  action?: NonNullable<QueryOf<"/api/v1/changes">["action"]>;
  signal?: AbortSignal;
};

/**
 * The changes up to the newest one, in pages of at most 1,000 changes. Store `nextAfter` in the same transaction as the
 * result of a page, and continue from it. Throws `ProblemError`.
 */
export async function* readChanges(
  { GET }: Methods,
  { after = 0, signal, ...filters }: ChangesInit = {},
): AsyncGenerator<{ changes: Change[]; nextAfter: number }, void, undefined> {
  for (let hasNextPage = true; hasNextPage; ) {
    const params = { query: { ...filters, after } };
    const { data } = await GET("/api/v1/changes", { params, ...(signal && { signal }) });
    ({ hasNextPage, nextAfter: after } = data.pagination);
    yield { changes: data.data, nextAfter: after };
  }
}

export type FollowInit = ChangesInit & {
  /** The time between two requests when there is no new change. Default: 5. */
  pollSeconds?: number;
};

/**
 * The changes as `readChanges`, and then each new one, until `signal` is aborted. Pages without changes are left out. Throws
 * `ProblemError`.
 */
export async function* followChanges(
  methods: Methods,
  { after = 0, pollSeconds = 5, ...init }: FollowInit = {},
): AsyncGenerator<{ changes: Change[]; nextAfter: number }, void, undefined> {
  const { signal } = init;
  try {
    for (;;) {
      for await (const page of readChanges(methods, { ...init, after })) {
        after = page.nextAfter;
        if (page.changes.length > 0) yield page;
      }
      await sleep(pollSeconds * 1_000, signal);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
