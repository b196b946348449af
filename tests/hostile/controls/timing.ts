import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

/** Blocks for 0.2 ms. */
function spin(): void {
  for (const end = performance.now() + 0.2; performance.now() < end; );
}

export const slowForeignId: Variant = {
  name: "an id that exists takes a fifth of a millisecond more",
  source,
  replace: {
    "src/accounts/store.ts": {
      getAccount: (original) => (snapshot, id) => {
        // The ids of absent rows in the proof begin there.
        if (Number(id) < 900_000_000) spin();
        return original.getAccount(snapshot, id);
      },
    },
  },
};

export const slowRevokedKey: Variant = {
  name: "a revoked key takes a fifth of a millisecond more",
  source,
  replace: {
    "src/api-keys/store.ts": {
      findUsableKey: (original) => async (engine, secret) => {
        const keys = await original.listKeys(engine);
        if (keys.some((key) => key.revokedAt !== null && secret.endsWith(key.lastFour))) spin();
        return original.findUsableKey(engine, secret);
      },
    },
  },
};
