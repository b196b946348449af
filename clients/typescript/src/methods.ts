import createFetchClient, { type MaybeOptionalInit, type ParseAsResponse } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from "openapi-typescript-helpers";
import { problemErrorOf } from "./problem.ts";
import { serializeQuery } from "./queries.ts";
import { fetchWithRetries, type RetryOptions } from "./retries.ts";
import type { paths } from "./schema.ts";

export type ClientOptions = RetryOptions & {
  /** The address of the server, such as `https://accounts.example.com`. */
  server: string;
  /** An API key. */
  key: string;
};

/** JSON where a reply has other media types, too, which a parameter selects. */
type BodyOfContent<Content> = Content extends { "application/json": infer Json }
  ? Json
  : Content[keyof Content];
/** The body of a success. `openapi-fetch` has such a type, but it leaves out members that are always null. */
type BodyOf<T> = T extends { responses: infer Replies }
  ? {
      [Status in keyof Replies & (200 | 201 | 204)]: Replies[Status] extends { content: infer Content }
        ? BodyOfContent<Content>
        : undefined;
    }[keyof Replies & (200 | 201 | 204)]
  : never;

/** Sends a request and resolves with `data`, the body of the reply, and `response`. Throws `ProblemError`. */
type Method<M extends HttpMethod> = <
  Path extends PathsWithMethod<paths, M>,
  Init extends MaybeOptionalInit<paths[Path], M>,
>(
  path: Path,
  ...init: RequiredKeysOf<Init> extends never ? [Init?] : [Init]
) => Promise<{ data: ParseAsResponse<BodyOf<paths[Path][M]>, Init>; response: Response }>;

/** The operations of the API: `GET("/api/v1/accounts/{accountId}", { params: { path: { accountId: 1 } } })`. */
export type Methods = {
  GET: Method<"get">;
  POST: Method<"post">;
  PUT: Method<"put">;
  PATCH: Method<"patch">;
  DELETE: Method<"delete">;
};

/** Throws TypeError if `server` is not an address of a server. */
export function createMethods({ server, key, ...retryOptions }: ClientOptions): Methods {
  if (!URL.canParse(server) || !/^https?:$/.test(new URL(server).protocol))
    throw new TypeError(
      `server must be an http or https URL, such as https://accounts.example.com: it is ${JSON.stringify(server)}`,
    );
  const client = createFetchClient<paths>({
    baseUrl: server,
    headers: { "x-api-key": key },
    fetch: fetchWithRetries(retryOptions),
    querySerializer: serializeQuery,
  });
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await problemErrorOf(response);
    },
  });
  const { GET, POST, PUT, PATCH, DELETE } = client;
  // Safe: the middleware above leaves the successes only.
  return { GET, POST, PUT, PATCH, DELETE } as unknown as Methods;
}
