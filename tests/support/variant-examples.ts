import type { Variant } from "./variant.ts";

export const withoutLog: Variant = {
  name: "the access log is empty",
  source: import.meta.path,
  replace: { "src/server/access-log.ts": { withAccessLog: () => (fetch) => fetch } },
};
export const withDoubleLog: Variant = {
  name: "the access log has two lines for each request",
  source: import.meta.path,
  replace: {
    "src/server/access-log.ts": {
      withAccessLog: (original) => (fetch, routes, log) =>
        original.withAccessLog(original.withAccessLog(fetch, routes, log), routes, log),
    },
  },
};
