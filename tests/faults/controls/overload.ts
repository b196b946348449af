import type { Fetch } from "../../../src/http/fetch.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

/** A variant whose requests pass through a function. */
const around = (name: string, change: (fetch: Fetch) => Fetch): Variant => ({
  name,
  source,
  replace: {
    "src/http/create-fetch.ts": {
      createFetch: (original) => (app, options) => change(original.createFetch(app, options)),
    },
  },
});

export const slowsDown = around("requests take longer while more are served", (fetch) => {
  let active = 0;
  return async (request) => {
    active += 1;
    const end = performance.now() + active / 1_000;
    while (performance.now() < end);
    try {
      return await fetch(request);
    } finally {
      active -= 1;
    }
  };
});

export const refusesLate = around("refusals wait", (fetch) => async (request) => {
  const response = await fetch(request);
  if (response.status === 429) await Bun.sleep(100);
  return response;
});

export const growsByRequests = around("each request stays in memory", (fetch) => {
  const kept: Uint8Array[] = [];
  return (request) => {
    kept.push(new Uint8Array(4_096).fill(1));
    return fetch(request);
  };
});
