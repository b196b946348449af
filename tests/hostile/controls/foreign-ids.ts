import { changes } from "../../../db/schema.ts";
import { select } from "../../../db/statements.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const readsEveryOrganization: Variant = {
  name: "a read does not filter by organization",
  source,
  replace: {
    "src/core/tenant-statements.ts": {
      select: (original) => (name, plan) => new original.TenantStatement(select(name, plan)),
    },
  },
};

export const feedOfEveryOrganization: Variant = {
  name: "the change feed does not filter by organization",
  source,
  replace: {
    "src/core/tenant-statements.ts": {
      select: (original) => (name, plan) =>
        plan.from === changes
          ? new original.TenantStatement(select(name, plan))
          : original.select(name, plan),
    },
  },
};

export const refusalIsRecorded: Variant = {
  name: "a refused request leaves a row in the database",
  source,
  replace: {
    "src/http/authentication.ts": {
      authentication: (original) => (services, log) => {
        const authenticate = original.authentication(services, log);
        const health = { tier: null, score: null };
        return async (secret, requestId) => {
          const tenant = await authenticate(secret, requestId);
          await tenant.write((tx) =>
            tx.record({
              ...{ resource: "account", action: "health_changed", id: 1, accountId: 1 },
              ...{ before: health, after: health },
            }),
          );
          return tenant;
        };
      },
    },
  },
};
