import { pick } from "../../db/expressions.ts";
import { OrganizationCounts } from "../../db/organization-counts.ts";
import { webhooks } from "../../db/schema.ts";
import { Problem } from "../core/errors.ts";
import { select } from "../core/tenant/statements.ts";
import type { Tenant } from "../core/tenant/tenant.ts";
import { formatTimestamp } from "../core/timestamps.ts";
import { sendMessage } from "./deliver/send.ts";
import type { WebhookRules } from "./send/address-rules.ts";
import type { AttemptResult } from "./send/attempt.ts";
import { isWebhook, missingWebhook } from "./store.ts";

const signer = select("webhooks.signer", {
  fields: pick(webhooks, "url", "format", "secret", "previousSecret", "previousSecretExpiresAt"),
  from: webhooks,
  where: isWebhook,
});

/** Of an organization at once: all `fetch` of a process together are at most 256 at once, deliveries included. */
const maxTests = 4;
/** The number of tests that run, by organization. */
const runningTests = new OrganizationCounts();

/** Sends a sample in the format of a webhook once. Nothing is stored. Throws `not_found`, `rate_limited`. */
export async function testWebhook(
  tenant: Tenant,
  id: number,
  { rules, signal }: { rules: WebhookRules; signal: AbortSignal },
): Promise<AttemptResult> {
  const webhook = await tenant.readOne((snapshot) => snapshot.first(signer, { id }));
  if (!webhook) throw missingWebhook();
  const messageId = `msg_${id}_test-${crypto.randomUUID()}`;
  const message = { id: messageId, content: samplesOf(tenant, { id, messageId })[webhook.format] };
  return limitTests(tenant.organizationId, () =>
    sendMessage(webhook, message, { now: tenant.now, rules, signal }),
  );
}

/** Throws `rate_limited` when 4 tests of the organization run in this process. */
async function limitTests<T>(organizationId: number, run: () => Promise<T>): Promise<T> {
  if (runningTests.of(organizationId) >= maxTests) {
    const detail = `${maxTests} tests of your organization's webhooks are running. Wait for the end of one.`;
    throw new Problem("rate_limited", { detail, headers: { "retry-after": "15" } });
  }
  runningTests.add(organizationId, 1);
  try {
    return await run();
  } finally {
    runningTests.add(organizationId, -1);
  }
}

/** A body for each format: of a change that did not happen. */
function samplesOf(
  { organizationId, now, caller }: Tenant,
  { id, messageId }: { id: number; messageId: string },
) {
  const [type, time] = ["webhook.test", formatTimestamp(now)];
  const { actor, requestId } = caller;
  const sides = { before: null, after: null };
  const accountd = { sequence: 0, type, time, resourceId: id, accountId: null, actor, requestId, ...sides };
  return {
    accountd,
    cloudevents: {
      ...{ specversion: "1.0", id: messageId, source: `urn:accountd:organization:${organizationId}`, type },
      ...{ subject: `webhook/${id}`, time, datacontenttype: "application/json", data: accountd },
    },
    slack: { text: "This is a test of accountd: changes will be posted here." },
  };
}
