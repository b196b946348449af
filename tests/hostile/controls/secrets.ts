import { eq } from "drizzle-orm";
import { inputs, integerInput } from "../../../db/expressions.ts";
import { apiKeys } from "../../../db/schema.ts";
import { update } from "../../../db/statements.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const logsAddress: Variant = {
  name: "the log has a request's whole address",
  source,
  replace: {
    "src/server/access-log.ts": {
      withAccessLog: (original) => (fetch, routes, log) =>
        original.withAccessLog(
          (request) => {
            log.info("address", { url: request.url });
            return fetch(request);
          },
          routes,
          log,
        ),
    },
  },
};

export const storesSecret: Variant = {
  name: "a key is stored next to its hash",
  source,
  replace: {
    "src/api-keys/store.ts": {
      createKey: (original) => {
        const rename = update("apiKeys.rename", {
          table: apiKeys,
          set: inputs(apiKeys, "name"),
          where: eq(apiKeys.id, integerInput("id")),
        });
        return async (tx, key) => {
          const created = await original.createKey(tx, key);
          await tx.run(rename, { id: created.key.id, name: created.secret });
          return created;
        };
      },
    },
  },
};

export const recordsRequestId: Variant = {
  name: "a change has the request id as it was sent",
  source,
  replace: {
    "src/api-keys/authenticator.ts": {
      createAuthenticator: (original) => (services, log) => {
        const authenticate = original.createAuthenticator(services, log);
        return (credential) => authenticate(credential, credential.secret);
      },
    },
  },
};
