import { lastSequence } from "../../../src/core/changes/account-changes.ts";
import type { Variant } from "../../support/variant.ts";

const source = import.meta.path;

/** A kill between the two loses the change. */
export const deliveredBeforeTheAnswer: Variant = {
  name: "a delivery is stored as delivered before its answer",
  source,
  replace: {
    "src/webhooks/deliver/send.ts": {
      sendMessage: (original) => async (webhook, message, options) => {
        void original.sendMessage(webhook, message, options);
        return {
          ...{ isSuccess: true, status: 200, body: null, error: null },
          ...{ milliseconds: 0, retryAfterMilliseconds: null },
        };
      },
    },
  },
};

/** Deliveries that were pending at the kill are never sent. */
export const skippedOnRestart: Variant = {
  name: "pending deliveries are skipped on a restart",
  source,
  replace: {
    "src/webhooks/deliver/store.ts": {
      readWebhook: (original) => async (snapshot, id) => {
        const stored = await original.readWebhook(snapshot, id);
        return stored && { ...stored, pending: [] };
      },
    },
  },
};

/** Changes between the last position and the restart get no delivery. */
export const startsAtTheNewest: Variant = {
  name: "a webhook begins at the newest change after a restart",
  source,
  replace: {
    "src/webhooks/deliver/store.ts": {
      readWebhook: (original) => async (snapshot, id) => {
        const stored = await original.readWebhook(snapshot, id);
        const position = await lastSequence(snapshot);
        return stored && { ...stored, webhook: { ...stored.webhook, position } };
      },
    },
  },
};
