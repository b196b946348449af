import { Elysia } from "elysia";
import { Problem } from "../core/errors.ts";
import { acceptsGzip } from "../http/content-coding.ts";
import { redirectTo } from "../http/documentation.ts";
import { type ConsoleAsset, readConsoleAssets } from "./assets.ts";
import { consolePage, pageHeaders, referencePageHeaders } from "./page.ts";
import { type SessionRouteServices, sessionRoutes } from "./session-routes.ts";

type ReplyContext = {
  set: { headers: Record<string, string | number | undefined> };
};

const undocumented = { detail: { hide: true } };
const oneYearSeconds = 31_536_000;

/** The console: its pages, which are one document, its files, and its sessions. */
export function consoleRoutes(services: SessionRouteServices) {
  return new Elysia({ strictPath: true, normalize: false })
    .get("/console", sendPage, undocumented)
    .get("/console/", ({ set }) => redirectTo("/console", { set }), undocumented)
    .get("/console/accounts", sendPage, undocumented)
    .get("/console/accounts/:accountId", sendPage, undocumented)
    .get("/console/unmatched", sendPage, undocumented)
    .get("/console/import", sendPage, undocumented)
    .get("/console/keys", sendPage, undocumented)
    .get("/console/api", ({ set }) => sendPage({ set }, referencePageHeaders), undocumented)
    .get(
      "/console/assets/:file",
      async ({ request, params, set }) => {
        const path = `/console/assets/${params.file}`;
        const asset = Object.values(await readConsoleAssets()).find((candidate) => candidate.path === path);
        if (!asset) throw new Problem("not_found");
        set.headers["cache-control"] = `public, max-age=${oneYearSeconds}, immutable`;
        return sendAsset({ set }, asset, acceptsGzip(request.headers.get("accept-encoding")));
      },
      undocumented,
    )
    .use(sessionRoutes(services));
}

async function sendPage(
  { set }: ReplyContext,
  headers: Record<string, string> = pageHeaders,
): Promise<string> {
  const page = consolePage(await readConsoleAssets());
  Object.assign(set.headers, headers);
  return page;
}

function sendAsset({ set }: ReplyContext, asset: ConsoleAsset, isCompressed: boolean): Response {
  set.headers["content-type"] = asset.type;
  if (isCompressed) set.headers["content-encoding"] = "gzip";
  return new Response(isCompressed ? asset.compressedBytes : asset.bytes);
}
