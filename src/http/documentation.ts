import { type AnyElysia, Elysia } from "elysia";
import styleSheet from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import viewer from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { Problem } from "../core/errors.ts";
import { openApiDocument } from "./openapi.ts";

const htmlPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>accountd API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<div id="viewer"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/assets/start.js"></script>
</html>
`;
const startScript = `SwaggerUIBundle({ url: "docs/json", dom_id: "#viewer", deepLinking: true, validatorUrl: null, tryItOutEnabled: true });
`;
/** Scripts and data from this service alone. The viewer sets styles on its elements, and draws icons from data. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const assets: Record<string, { type: string; content: () => string | Blob }> = {
  "swagger-ui.css": { type: "text/css; charset=utf-8", content: () => Bun.file(styleSheet) },
  "swagger-ui-bundle.js": { type: "text/javascript; charset=utf-8", content: () => Bun.file(viewer) },
  "start.js": { type: "text/javascript; charset=utf-8", content: () => startScript },
};

const undocumented = { detail: { hide: true } };

/** The document of the routes at /docs/json, and a page that shows it at /docs, all from this program. */
export function documentationRoutes(...routes: AnyElysia[]) {
  let document: Promise<string> | undefined;
  return new Elysia({ strictPath: true })
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
        return await document;
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
