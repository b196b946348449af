import type { Variant } from "../../support/variant.ts";
import { orderOfArrival } from "./large-replies.ts";

export const oneQueue: Variant = {
  name: "all requests are served on one thread in the order of arrival",
  source: import.meta.path,
  replace: {
    ...orderOfArrival.replace,
    "db/sqlite/engine.ts": {
      openDatabase: (original) => (file, options) => {
        const engine = original.openDatabase(file, options);
        return {
          ...engine,
          read: (fn, hints) => engine.read(fn, { ...hints, place: "serving" }),
          write: (_organizationId, fn, writeOptions) => engine.write(0, fn, writeOptions),
        };
      },
    },
  },
};
