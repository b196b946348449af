import type { Engine } from "../../db/engine.ts";
import { createApp } from "../../src/app.ts";
import type { MakeApp } from "./model-service.ts";

/** Services with a small error each. The name ends the phrase "where …". */
export const wrongApps: Record<string, () => MakeApp> = {
  "one change of a hundred is answered and not stored": () => {
    const losing = loses(100);
    return (parts) => createApp({ ...parts, engine: losing(parts.engine) });
  },
  "one list of fifty leaves a row out": () => {
    const isNext = everyNth(50);
    return (parts) =>
      changed(createApp(parts), async (_, response) => {
        if (response.status !== 200) return response;
        const { data, ...rest } = (await response.clone().json()) as { data: unknown };
        if (!Array.isArray(data) || data.length < 2 || !isNext()) return response;
        return Response.json({ data: data.toSpliced(0, 1), ...rest });
      });
  },
  "one account of five that are not found is looked for in another organization": () => {
    const isNext = everyNth(5);
    return (parts, keys) => {
      const app = createApp(parts);
      return changed(app, (request, response) => {
        const isAccount = request.method === "GET" && /\/accounts\/\d+$/.test(request.url);
        if (response.status !== 404 || !isAccount || !isNext()) return response;
        const place = keys.indexOf(request.headers.get("x-api-key") ?? "");
        return app.fetch(new Request(request.url, { headers: { "x-api-key": keys[place ^ 1] ?? "" } }));
      });
    };
  },
  "a change of an account puts back the revenue that was read before it": () => (parts) => {
    const app = createApp(parts);
    return {
      async fetch(request) {
        const { url, method, headers } = request;
        if (method !== "PATCH" || !/\/accounts\/\d+$/.test(url)) return app.fetch(request);
        const [body, before] = await Promise.all([request.json(), app.fetch(new Request(url, { headers }))]);
        const { data } = (await before.json()) as { data?: { mrr: number } };
        const isChange = data && Object.keys(body as object).length > 0;
        const whole = isChange ? { mrr: data.mrr, ...(body as object) } : body;
        return app.fetch(new Request(url, { method, headers, body: JSON.stringify(whole) }));
      },
    };
  },
  "one dry run of ten is stored": () => {
    const isNext = everyNth(10);
    return (parts) => {
      const app = createApp(parts);
      return {
        fetch(request) {
          const isStored = request.url.includes("dryRun=true") && isNext();
          return app.fetch(isStored ? new Request(request.url.replace("dryRun=true", ""), request) : request);
        },
      };
    };
  },
};

/** Broken services of which each copy has a state of its own. */
export const wrongCopies: Record<string, () => MakeApp> = {
  "the feed of a copy ends with the last change that was stored before its own last write": () => (parts) => {
    const app = createApp(parts);
    const last = new Map<string, number>();
    const readFeed = async (url: string, key: string) => {
      const response = await app.fetch(new Request(url, { headers: { "x-api-key": key } }));
      return { status: response.status, body: (await response.json()) as Feed };
    };
    return {
      async fetch(request) {
        const key = request.headers.get("x-api-key") ?? "";
        const end = last.get(key) ?? Number.POSITIVE_INFINITY;
        if (request.method === "GET" && new URL(request.url).pathname.endsWith("/changes")) {
          const { status, body } = await readFeed(request.url, key);
          const data = body.data?.filter(({ sequence, actor }) => sequence <= end || actor.type === "job");
          return Response.json({ ...body, ...(data && { data }) }, { status });
        }
        const response = await app.fetch(request);
        if (request.method === "GET") return response;
        const { body } = await readFeed("http://localhost/api/v1/changes?limit=1000", key);
        const sequences = (body.data ?? []).map(({ sequence }) => sequence);
        last.set(key, Math.max(last.get(key) ?? 0, ...sequences));
        return response;
      },
    };
  },
};

type Feed = { data?: { sequence: number; actor: { type: string } }[] };

/** Returns true on every `n`th call. */
function everyNth(n: number): () => boolean {
  let times = 0;
  return () => {
    times += 1;
    return times % n === 0;
  };
}

/** Rolls every `n`th change back, and replies as if it were stored. */
function loses(n: number): (engine: Engine) => Engine {
  const isNext = everyNth(n);
  return (engine) => ({
    ...engine,
    async write(organizationId, fn) {
      // PostgreSQL may run the function twice.
      const isLost = isNext();
      const lost: Awaited<ReturnType<typeof fn>>[] = [];
      try {
        return await engine.write(organizationId, async (tx) => {
          const value = await fn(tx);
          if (!isLost) return value;
          lost.push(value);
          throw new Error("lost");
        });
      } catch (error) {
        const [value] = lost;
        if (value === undefined) throw error;
        return value;
      }
    },
  });
}

export type App = ReturnType<MakeApp>;

/** The service with other replies. */
export function changed(
  app: App,
  change: (request: Request, response: Response) => Response | Promise<Response>,
): App {
  return { fetch: async (request) => change(request, await app.fetch(request)) };
}
