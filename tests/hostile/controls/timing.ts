import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;
/** Ids above are those of rows that do not exist. */
const maxExistingId = 900_000_000;

export const slowForExistingId: Variant = {
  name: "an id that exists takes a fifth of a millisecond more",
  source,
  replace: {
    "src/accounts/store.ts": {
      getAccount: (original) => async (snapshot, id) => {
        try {
          return await original.getAccount(snapshot, id);
        } catch (error) {
          if (id < maxExistingId) spin();
          throw error;
        }
      },
    },
  },
};

export const slowForRevokedKey: Variant = {
  name: "a revoked key takes a fifth of a millisecond more",
  source,
  replace: {
    "src/api-keys/store.ts": {
      findUsableKey: (original) => async (engine, secret) => {
        const key = await original.findUsableKey(engine, secret);
        const isRevoked = (await original.listKeys(engine)).some(
          ({ lastFour, revokedAt }) => revokedAt !== null && secret.endsWith(lastFour),
        );
        if (isRevoked) spin();
        return key;
      },
    },
  },
};

function spin(): void {
  for (const end = performance.now() + 0.2; performance.now() < end; );
}
