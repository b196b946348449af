import { Elysia } from "elysia";
import { tenantOf } from "./front-door.ts";
import { strictJson } from "./strict-json.ts";

/** What every group of routes begins with: whoever asks as `tenant`, and the body's reader `strict`. */
export function api(prefix: string) {
  return new Elysia({ prefix, strictPath: true, normalize: false })
    .derive(({ request }) => ({ tenant: tenantOf(request) }))
    .parser("strict", ({ request }) => strictJson(request));
}
