import { changes } from "../../../db/schema.ts";
import * as statements from "../../../db/statements.ts";
import type { TenantSnapshot } from "../../../src/core/tenant/transaction.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

export const readsEveryOrganization: Variant = {
  name: "a read is not limited to the organization",
  source,
  replace: {
    "src/core/tenant/statements.ts": {
      select:
        ({ TenantStatement }) =>
        (name, plan) =>
          new TenantStatement(statements.select(name, plan)),
    },
  },
};

export const feedOfEveryOrganization: Variant = {
  name: "the change feed is not limited to the organization",
  source,
  replace: {
    "src/core/tenant/statements.ts": {
      select:
        ({ TenantStatement, select }) =>
        (name, plan) =>
          plan.from === changes ? new TenantStatement(statements.select(name, plan)) : select(name, plan),
    },
  },
};

export const recordsRefusals: Variant = {
  name: "a refused read is recorded in the change log",
  source,
  replace: {
    "src/core/tenant/tenant.ts": {
      Tenant: ({ Tenant }) =>
        class extends Tenant {
          override async read<T>(fn: (snapshot: TenantSnapshot) => Promise<T>): Promise<T> {
            try {
              return await super.read(fn);
            } catch (error) {
              const side = { tier: null, score: null };
              await this.write((tx) =>
                tx.record([
                  {
                    resource: "account",
                    action: "health_changed",
                    id: 0,
                    accountId: 0,
                    before: side,
                    after: side,
                  },
                ]),
              );
              throw error;
            }
          }
        },
    },
  },
};
