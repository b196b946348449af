import type { Variant } from "../../support/variant.ts";
import { withLongWrites } from "./deletion.ts";

const source = import.meta.path;

export const withoutJob: Variant = {
  name: "no job attaches pending events",
  source,
  replace: { "src/events/attachments.ts": { attachNextEvents: () => async () => false } },
};

const begunHere = new Set<string>();
export const withoutResume: Variant = {
  name: "attaching is not resumed after a restart",
  source,
  replace: {
    "src/events/attach.ts": {
      attachPendingEvents: (original) => (tx, accountId, externalId) => {
        begunHere.add(externalId);
        return original.attachPendingEvents(tx, accountId, externalId);
      },
    },
    "src/events/attachments.ts": {
      attachNextEvents: (original) => async (tenant) =>
        begunHere.size > 0 && original.attachNextEvents(tenant),
    },
  },
};

export const inOneStep: Variant = {
  name: "all pending events are attached in one transaction",
  source,
  replace: {
    "src/events/attachments.ts": {
      attachNextEvents: (original) => (tenant) => original.attachNextEvents(withLongWrites(tenant)),
    },
  },
};

export const withHalfBatches: Variant = {
  name: "a step attaches half of its events",
  source,
  replace: {
    "src/events/attach.ts": {
      attachPage: (original) => async (tx, attachment, limit) => {
        const rest = await original.attachPage(tx, attachment, limit / 2);
        const count = (rest?.count ?? 0) - limit / 2;
        return rest && count > 0 ? { ...rest, count } : undefined;
      },
    },
  },
};
