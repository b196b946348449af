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
  "the contacts that are included in the first account of a list are left out": () => (parts) =>
    changed(createApp(parts), async ({ url }, response) => {
      if (response.status !== 200 || !/accounts\?.*include=[^&]*contacts/.test(url)) return response;
      return withBody(response, ({ data: [first, ...rows], ...rest }) => {
        const row = first && { ...first, contacts: [] };
        return { data: row ? [row, ...rows] : [], ...rest };
      });
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
  "a revoked key stays valid": () => (parts) => {
    const app = createApp(parts);
    return {
      async fetch(request) {
        if (request.method !== "DELETE" || !request.url.includes("/keys/")) return app.fetch(request);
        const { status } = await app.fetch(
          new Request(request.url.replace(/\?.*/, ""), { headers: request.headers }),
        );
        return status === 200 ? new Response(null, { status: 204 }) : app.fetch(request);
      },
    };
  },
  "a key without the scope of a request is not rejected": () => (parts) => {
    const app = createApp(parts);
    const creators = new Map<string, string>();
    return {
      async fetch(request) {
        const { method, url, headers } = request;
        const text = await request.text();
        const body = text === "" ? {} : { body: text };
        const response = await app.fetch(new Request(url, { method, headers, ...body }));
        const secret = headers.get("x-api-key") ?? "";
        if (response.status === 201 && request.url.endsWith("/keys")) {
          const { data } = (await response.clone().json()) as { data: { key?: string } };
          if (data.key) creators.set(data.key, creators.get(secret) ?? secret);
        }
        const creator = creators.get(secret);
        if (response.status !== 403 || !creator) return response;
        headers.set("x-api-key", creator);
        return app.fetch(new Request(url, { method, headers, ...body }));
      },
    };
  },
};

/** The list with another body. */
export async function withBody(
  response: Response,
  change: (body: { data: Record<string, unknown>[] }) => object,
): Promise<Response> {
  // Safe: the reply of a list.
  const body = (await response.json()) as { data: Record<string, unknown>[] };
  return Response.json(change(body), { headers: response.headers });
}

type Send = (text: string, omitted?: readonly string[]) => Promise<Response>;

/** The service with other handling of the requests that have a body, at these paths. */
export function withText(
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
