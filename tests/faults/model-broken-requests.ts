import { createApp } from "../../src/app.ts";
import { type App, changed } from "./model-broken.ts";
import type { MakeApp } from "./model-service.ts";

/** Services with an error in cursors, batches, replays, preconditions or keys. The name ends the phrase "where …". */
export const wrongRequests: Record<string, () => MakeApp> = {
  "the first row after a cursor is left out": () => (parts) =>
    changed(createApp(parts), async ({ url }, response) => {
      if (response.status !== 200 || !new URL(url).searchParams.get("cursor")) return response;
      return withBody(response, ({ data, ...rest }) => ({ data: data.slice(1), ...rest }));
    }),
  "an atomic batch that fails stores the operations that succeed": () => (parts) =>
    withText(
      createApp(parts),
      async (_, text, send) => {
        const response = await send(text);
        const { code } = (await response.clone().json()) as { code?: string };
        if (code === "batch_failed") await send(text.replace('"atomic"', '"partial"'), ["idempotency-key"]);
        return response;
      },
      /\/batch(\?|$)/,
    ),
  "an upsert leaves out the last contact of its first account": () => (parts) =>
    withText(
      createApp(parts),
      (_, text, send) => {
        const {
          accounts: [first, ...others],
        } = JSON.parse(text);
        const contacts = first.contacts?.slice(0, -1);
        return send(JSON.stringify({ accounts: [{ ...first, contacts }, ...others] }));
      },
      /\/accounts\/batch(\?|$)/,
    ),
  "a request with an Idempotency-Key is run again when it is repeated": () => {
    const seen = new Set<string>();
    return (parts) =>
      withText(createApp(parts), async ({ headers, method, url }, text, send) => {
        const name = [headers.get("x-api-key"), headers.get("idempotency-key"), method, url, text].join(" ");
        const isRepeated = headers.has("idempotency-key") && seen.has(name);
        const response = await send(text, isRepeated ? ["idempotency-key"] : []);
        if (response.ok) seen.add(name);
        if (isRepeated) response.headers.set("idempotent-replayed", "true");
        return response;
      });
  },
  "If-Match is ignored": () => (parts) =>
    withText(createApp(parts), (_, text, send) => send(text, ["if-match"])),
  "a 304 compares the version only": () => (parts) => {
    const app = createApp(parts);
    return {
      async fetch(request) {
        const tags = request.headers.get("if-none-match");
        if (request.method !== "GET" || tags === null) return app.fetch(request);
        const response = await app.fetch(without(request, ["if-none-match"]));
        const [version] = (response.headers.get("etag") ?? "").split(".");
        return version && tags.startsWith(`${version}.`) ? new Response(null, { status: 304 }) : response;
      },
    };
  },
};

/** The list with another body. */
async function withBody(
  response: Response,
  change: (body: { data: Record<string, unknown>[] }) => object,
): Promise<Response> {
  // Safe: the reply of a list.
  const body = (await response.json()) as { data: Record<string, unknown>[] };
  return Response.json(change(body), { headers: response.headers });
}

type Send = (text: string, omitted?: readonly string[]) => Promise<Response>;

/** The service with other handling of the requests that have a body, at these paths. */
function withText(
  app: App,
  handle: (request: Request, text: string, send: Send) => Promise<Response>,
  paths = /./,
): App {
  return {
    async fetch(request) {
      if (request.method === "GET" || !paths.test(request.url)) return app.fetch(request);
      const text = await request.text();
      return handle(request, text, async (sent, omitted = []) => {
        const { method, url } = request;
        const headers = without(request, omitted).headers;
        return app.fetch(new Request(url, { method, headers, ...(sent !== "" && { body: sent }) }));
      });
    },
  };
}

/** The request without its body and without these headers. */
function without({ method, url, headers: all }: Request, omitted: readonly string[]): Request {
  const headers = new Headers(all);
  for (const name of omitted) headers.delete(name);
  return new Request(url, { method, headers });
}
