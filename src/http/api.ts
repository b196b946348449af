import { Elysia } from "elysia";
import { tenantOf } from "./front-door.ts";

/** What every group of routes begins with: whoever asks, as `tenant`. */
export function api(prefix: string) {
  return new Elysia({ prefix, strictPath: true, normalize: false }).derive(({ request }) => ({
    tenant: tenantOf(request),
  }));
}
