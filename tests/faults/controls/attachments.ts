import type { Tenant } from "../../../src/core/tenant/tenant.ts";
import type { Variant } from "../../support/variant.ts";
import { withLongWrites } from "./deletion.ts";

const source = import.meta.path;

export const withoutJob: Variant = {
  name: "no job attaches pending events",
  source,
  replace: { "src/events/attach.ts": { attachNextEvents: () => async () => false } },
};

const begunHere = new Set<string>();
export const withoutResume: Variant = {
  name: "attaching is not resumed after a restart",
  source,
  replace: {
    "src/events/attach.ts": {
      attachPendingEvents: (original) => (tx, externalId, accountId) => {
        begunHere.add(externalId);
        return original.attachPendingEvents(tx, externalId, accountId);
      },
      attachNextEvents: (original) => async (tenant) =>
        begunHere.size > 0 && original.attachNextEvents(tenant),
    },
  },
};

export const inOneStep: Variant = {
  name: "all pending events are attached in one transaction",
  source,
  replace: {
    "src/events/attach.ts": {
      attachNextEvents: (original) => (tenant) => original.attachNextEvents(withLongWrites(tenant)),
    },
  },
};

export const withHalfBatches: Variant = {
  name: "a step attaches half of its events",
  source,
  replace: {
    "src/events/attach.ts": {
      attachNextEvents: (original) => (tenant) => original.attachNextEvents(skipHalf(tenant)),
    },
  },
};

/** Leaves every second event of a step pending, as if it were attached. */
function skipHalf(tenant: Tenant): Tenant {
  const write: Tenant["write"] = (step, options) =>
    tenant.write((tx) => {
      const run = tx.run.bind(tx);
      tx.run = (statement, values) => {
        if (statement.statement.name !== "events.attach") return run(statement, values);
        const ids: number[] = JSON.parse(String(values.ids));
        return run(statement, { ...values, ids: JSON.stringify(ids.filter((_, i) => i % 2 === 0)) });
      };
      return step(tx);
    }, options);
  // Safe: the job calls nothing else.
  return { write } as unknown as Tenant;
}
