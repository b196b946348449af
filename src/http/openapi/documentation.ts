import type { TSchema } from "@sinclair/typebox";
import { type AnyElysia, Elysia } from "elysia";
import { Problem } from "../../core/errors.ts";
import api from "../../reference/dist/api.html.gz" with { type: "file" };
import viewerStyles from "../../reference/dist/api-reference.css.gz" with { type: "file" };
import viewer from "../../reference/dist/api-reference.js.gz" with { type: "file" };
import architecture from "../../reference/dist/architecture.html.gz" with { type: "file" };
import concepts from "../../reference/dist/concepts.html.gz" with { type: "file" };
import consoleGuide from "../../reference/dist/console.html.gz" with { type: "file" };
import crmAndWarehouse from "../../reference/dist/crm-and-warehouse.html.gz" with { type: "file" };
import firstSession from "../../reference/dist/first-session.html.gz" with { type: "file" };
import guideStyles from "../../reference/dist/guide.css.gz" with { type: "file" };
import llms from "../../reference/dist/llms.txt.gz" with { type: "file" };
import llmsFull from "../../reference/dist/llms-full.txt.gz" with { type: "file" };
import moveFromSpreadsheets from "../../reference/dist/move-from-spreadsheets.html.gz" with { type: "file" };
import operations from "../../reference/dist/operations.html.gz" with { type: "file" };
import performance from "../../reference/dist/performance.html.gz" with { type: "file" };
import recipes from "../../reference/dist/recipes.html.gz" with { type: "file" };
import reliability from "../../reference/dist/reliability.html.gz" with { type: "file" };
import scaling from "../../reference/dist/scaling.html.gz" with { type: "file" };
import startScript from "../../reference/dist/start.js.gz" with { type: "file" };
import watchUsage from "../../reference/dist/watch-usage.html.gz" with { type: "file" };
import webhooks from "../../reference/dist/webhooks.html.gz" with { type: "file" };
import { markAddress } from "../../shared/mark.ts";
import { type StaticFile, sendFile } from "../replies/static-files.ts";
import { openApiDocument } from "./openapi.ts";
import { readSelection, selectOperations } from "./selection.ts";

const script = "text/javascript; charset=utf-8";
const styles = "text/css; charset=utf-8";
const page = (path: string): StaticFile => ({ type: "text/html; charset=utf-8", path });

/** By the names in /docs/assets/. */
const documentationFiles: Readonly<Record<string, StaticFile>> = {
  "api-reference.js": { type: script, path: viewer },
  "api-reference.css": { type: styles, path: viewerStyles },
  "start.js": { type: script, path: startScript },
  "guide.css": { type: styles, path: guideStyles },
};

/** For language models, by the names at the root. */
const plain = "text/plain; charset=utf-8";
const textFiles: Readonly<Record<string, StaticFile>> = {
  "llms.txt": { type: plain, path: llms },
  "llms-full.txt": { type: plain, path: llmsFull },
};

/** The documents of `docs/`, by the names in /docs/guides/. */
export const guides: Readonly<Record<string, StaticFile>> = {
  concepts: page(concepts),
  "first-session": page(firstSession),
  "move-from-spreadsheets": page(moveFromSpreadsheets),
  "crm-and-warehouse": page(crmAndWarehouse),
  "watch-usage": page(watchUsage),
  api: page(api),
  webhooks: page(webhooks),
  recipes: page(recipes),
  console: page(consoleGuide),
  operations: page(operations),
  scaling: page(scaling),
  performance: page(performance),
  reliability: page(reliability),
  architecture: page(architecture),
};

const referencePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>accountd API</title>
<link rel="icon" href="${markAddress}">
<link rel="stylesheet" href="docs/assets/api-reference.css">
<header>
<a href="./"><img src="${markAddress}" alt="" width="24" height="24">accountd</a>
<nav aria-label="API"><a href="docs" aria-current="page">API reference</a><a href="docs/guides/api">Guides</a></nav>
</header>
<p id="session"></p>
<div id="reference"></div>
<noscript>The API reference needs JavaScript. <a href="docs/guides/api">Using the API</a> does not.</noscript>
<script src="docs/assets/api-reference.js"></script>
<script src="docs/assets/start.js"></script>
</html>
`;
/** Scripts and data from this service only. The viewer draws icons from data. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** The guides have no script. */
const guidePolicy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Each guide links all of them. */
const firstGuide = "/docs/guides/api";

const undocumented = { detail: { hide: true } };

type PageContext = {
  set: { status?: number | string; headers: Record<string, string | number | undefined> };
};
type FileContext = PageContext & { request: Request };

/** Not permanent: browsers and proxies keep a permanent redirect, and `/` may become another page. */
export function redirectTo(location: string, { set }: PageContext): void {
  set.status = 302;
  set.headers.location = location;
  delete set.headers["content-type"];
}

/**
 * The OpenAPI document of the routes, or a part of it, at /docs/json, with the origin of the request as its server, a page
 * that shows it at /docs, the guides, and texts of both for language models. /docs/ leads to the page, `/` to `home`.
 */
export function documentationRoutes(
  {
    home,
    originOf,
    change,
  }: { home: "/docs" | "/console"; originOf: (request: Request) => string; change?: TSchema },
  ...routes: AnyElysia[]
) {
  let document: string | undefined;
  return new Elysia({ strictPath: true })
    .get("/", ({ set }) => redirectTo(home, { set }), undocumented)
    .get("/docs/", ({ set }) => redirectTo("/docs", { set }), undocumented)
    .get("/docs/guides", ({ set }) => redirectTo(firstGuide, { set }), undocumented)
    .get("/docs/guides/", ({ set }) => redirectTo(firstGuide, { set }), undocumented)
    .get(
      "/docs",
      ({ set }) => {
        set.headers["content-security-policy"] = referencePolicy;
        set.headers["content-type"] = "text/html; charset=utf-8";
        return referencePage;
      },
      undocumented,
    )
    .get(
      "/docs/json",
      ({ request }) => {
        document ??= JSON.stringify(openApiDocument(change, ...routes));
        const [, ...query] = request.url.split("?");
        const selection = readSelection(new URLSearchParams(query.join("?")));
        const text = selection ? JSON.stringify(selectOperations(JSON.parse(document), selection)) : document;
        const servers = JSON.stringify([{ url: originOf(request) }]);
        // Only the whole document without servers is stored, because callers choose Host and the query.
        return text.replace(',"info":', () => `,"servers":${servers},"info":`);
      },
      undocumented,
    )
    .get("/llms.txt", ({ request, set }) => sendNamed(textFiles, "llms.txt", { request, set }), undocumented)
    .get(
      "/llms-full.txt",
      ({ request, set }) => sendNamed(textFiles, "llms-full.txt", { request, set }),
      undocumented,
    )
    .get(
      "/docs/assets/:file",
      ({ params, request, set }) => sendNamed(documentationFiles, params.file, { request, set }),
      undocumented,
    )
    .get(
      "/docs/guides/:name",
      ({ params, request, set }) => {
        set.headers["content-security-policy"] = guidePolicy;
        return sendNamed(guides, params.name, { request, set });
      },
      undocumented,
    );
}

/** Caches may store a file and must revalidate it: after an upgrade, the page and its files are of one version. */
async function sendNamed(
  files: Readonly<Record<string, StaticFile>>,
  name: string,
  { request, set }: FileContext,
): Promise<Response | undefined> {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!file) throw new Problem("not_found");
  // Weak: the content is the same in both codings.
  const etag = `W/"${Bun.hash(await Bun.file(file.path).bytes()).toString(36)}"`;
  set.headers.etag = etag;
  set.headers["cache-control"] = "public, no-cache";
  if (!request.headers.get("if-none-match")?.includes(etag)) return sendFile(file, { request, set });
  set.status = 304;
  delete set.headers["content-type"];
  return undefined;
}
