import { Elysia } from "elysia";
import { Problem } from "../core/errors.ts";
import { consolePages } from "../http/guard/console-paths.ts";
import type { SendMissingPage } from "../http/guard/guard.ts";
import { pathOf } from "../http/guard/request-line.ts";
import { redirectTo } from "../http/openapi/documentation.ts";
import { sendFile } from "../http/replies/static-files.ts";
import { consolePage, pageHeadersOf, readConsoleAssets } from "./assets.ts";

type ReplyContext = {
  set: { headers: Record<string, string | number | undefined> };
};

const undocumented = { detail: { hide: true } };
const oneYearSeconds = 31_536_000;

/** `hasLogos`: whether pages load the logos of accounts from other servers. */
type PageOptions = { hasLogos: boolean };

/** The console: its pages, which are one document, and its files. */
export function consoleRoutes({ hasLogos }: PageOptions) {
  const routes = new Elysia({ strictPath: true, normalize: false });
  for (const path of consolePages)
    routes
      .get(path, ({ set }) => sendPage({ set }, { hasLogos }), undocumented)
      .get(`${path}/`, ({ request, set }) => redirectTo(withoutSlash(request), { set }), undocumented);
  return routes.get(
    "/console/assets/:file",
    async ({ request, params, set }) => {
      const address = `/console/assets/${params.file}`;
      const asset = Object.values(await readConsoleAssets()).find((file) => file.address === address);
      if (!asset) throw new Problem("not_found");
      set.headers["cache-control"] = `public, max-age=${oneYearSeconds}, immutable`;
      return sendFile(asset, { request, set });
    },
    undocumented,
  );
}

/** The address of a request whose path ends in a slash, without the slash. */
function withoutSlash(request: Request): string {
  const { search } = new URL(request.url);
  return pathOf(request).slice(0, -1) + search;
}

/** Returns the console's document with status 404 if the request accepts HTML; its script shows "Page not found". */
export function createSendMissingPage({ hasLogos }: PageOptions): SendMissingPage {
  return async ({ request, set }) => {
    if (!/\btext\/html\b/.test(request.headers.get("accept") ?? "")) return undefined;
    set.status = 404;
    const page = await sendPage({ set }, { hasLogos });
    return request.method === "HEAD" ? "" : page;
  };
}

async function sendPage({ set }: ReplyContext, { hasLogos }: PageOptions): Promise<string> {
  const page = consolePage(await readConsoleAssets(), hasLogos);
  Object.assign(set.headers, pageHeadersOf(hasLogos));
  return page;
}
