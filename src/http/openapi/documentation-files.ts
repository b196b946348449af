import api from "../../reference/dist/api.html.gz" with { type: "file" };
import viewer from "../../reference/dist/api-reference.js.gz" with { type: "file" };
import architecture from "../../reference/dist/architecture.html.gz" with { type: "file" };
import consoleGuide from "../../reference/dist/console.html.gz" with { type: "file" };
import guideStyles from "../../reference/dist/guide.css.gz" with { type: "file" };
import operations from "../../reference/dist/operations.html.gz" with { type: "file" };
import performance from "../../reference/dist/performance.html.gz" with { type: "file" };
import recipes from "../../reference/dist/recipes.html.gz" with { type: "file" };
import reliability from "../../reference/dist/reliability.html.gz" with { type: "file" };
import scaling from "../../reference/dist/scaling.html.gz" with { type: "file" };
import startScript from "../../reference/dist/start.js.gz" with { type: "file" };
import type { StaticFile } from "../replies/static-files.ts";

const script = "text/javascript; charset=utf-8";
const page = (path: string): StaticFile => ({ type: "text/html; charset=utf-8", path });

/** By the names in /docs/assets/. */
export const documentationFiles: Readonly<Record<string, StaticFile>> = {
  "api-reference.js": { type: script, path: viewer },
  "start.js": { type: script, path: startScript },
  "guide.css": { type: "text/css; charset=utf-8", path: guideStyles },
};

/** The documents of `docs/`, by the names in /docs/guides/. */
export const guides: Readonly<Record<string, StaticFile>> = {
  api: page(api),
  recipes: page(recipes),
  console: page(consoleGuide),
  operations: page(operations),
  scaling: page(scaling),
  performance: page(performance),
  reliability: page(reliability),
  architecture: page(architecture),
};
