import type { Variant } from "../../support/variant.ts";

export const logsAddress: Variant = {
  name: "the log has a request's whole address",
  source: import.meta.path,
  replace: {
    "src/server/access-log.ts": {
      withAccessLog: (original) => (fetch, log) =>
        original.withAccessLog((request) => {
          log.info("address", { url: request.url });
          return fetch(request);
        }, log),
    },
  },
};
