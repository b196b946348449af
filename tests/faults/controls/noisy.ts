import type { Variant } from "../../support/variant.ts";

export const oneQueue: Variant = {
  name: "all requests are served on one thread in the order of arrival",
  source: import.meta.path,
  replace: {
    "db/sqlite/engine.ts": {
      openDatabase: (original) => (file, options) => {
        const engine = original.openDatabase(file, { ...options, isFair: false });
        return { ...engine, read: (fn, hints) => engine.read(fn, { ...hints, place: "serving" }) };
      },
    },
  },
};
