import { type AnyElysia, Elysia } from "elysia";
import styleSheet from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewer from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { Problem } from "../core/errors.ts";
import { openApiDocument } from "./openapi.ts";

const htmlPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>accountd API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<style>.dark-mode .swagger-ui .header-col { color: inherit }</style>
<div id="viewer"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/assets/start.js"></script>
</html>
`;
const startScript = `const dark = matchMedia("(prefers-color-scheme: dark)");
const applyTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", applyTheme);
applyTheme();
// Each scheme of the dialog focuses its own field, so that the last one would be in view: x-api-key is the first.
const focusFirstField = (action) => (definitions) => {
  setTimeout(() => document.querySelector(".auth-container input")?.focus());
  return action(definitions);
};
SwaggerUIBundle({
  url: "docs/json",
  dom_id: "#viewer",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  plugins: [{ statePlugins: { auth: { wrapActions: { showDefinitions: focusFirstField } } } }],
});
`;
/** Scripts and data from this service only. The viewer sets styles on its elements and draws icons from data. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const assets: Record<string, { type: string; content: () => string | Blob }> = {
  "swagger-ui.css": { type: "text/css; charset=utf-8", content: () => Bun.file(styleSheet) },
  "swagger-ui-bundle.js": { type: "text/javascript; charset=utf-8", content: () => Bun.file(viewer) },
  "start.js": { type: "text/javascript; charset=utf-8", content: () => startScript },
};

const undocumented = { detail: { hide: true } };

type RedirectContext = {
  set: { status?: number | string; headers: Record<string, string | number | undefined> };
};

/** Not permanent: browsers and proxies keep a permanent redirect, and `/` may become another page. */
export function redirectTo(location: string, { set }: RedirectContext): void {
  set.status = 302;
  set.headers.location = location;
  delete set.headers["content-type"];
}

/** The OpenAPI document of the routes at /docs/json, and a page that shows it at /docs; /docs/ leads there, `/` to `home`. */
export function documentationRoutes(home: "/docs" | "/console", ...routes: AnyElysia[]) {
  let document: Promise<string> | undefined;
  return new Elysia({ strictPath: true })
    .get("/", ({ set }) => redirectTo(home, { set }), undocumented)
    .get("/docs/", ({ set }) => redirectTo("/docs", { set }), undocumented)
    .get(
      "/docs",
      ({ set }) => {
        set.headers["content-security-policy"] = contentSecurityPolicy;
        set.headers["content-type"] = "text/html; charset=utf-8";
        return htmlPage;
      },
      undocumented,
    )
    .get(
      "/docs/json",
      async () => {
        document ??= openApiDocument(...routes).then((made) => JSON.stringify(made));
        try {
          return await document;
        } catch (error) {
          // The next request tries again.
          document = undefined;
          throw error;
        }
      },
      undocumented,
    )
    .get(
      "/docs/assets/:file",
      ({ params, set }) => {
        const asset = Object.hasOwn(assets, params.file) ? assets[params.file] : undefined;
        if (!asset) throw new Problem("not_found");
        set.headers["content-type"] = asset.type;
        set.headers["cache-control"] = "public, max-age=3600";
        return asset.content();
      },
      undocumented,
    );
}
