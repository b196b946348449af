import { invalidField } from "../core/errors.ts";
import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { holdRequest } from "../http/held-requests.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { NoContent, replies } from "../http/replies/replies.ts";
import { created, deleted, ok, write } from "../http/resource/write.ts";
import { writeInSteps } from "../http/resource/write-in-steps.ts";
import {
  bodyProblems,
  ignoredBody,
  readProblems,
  WriteQuery,
  writeReplies,
} from "../http/resource/write-schemas.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { deleteWebhook, replayWebhook } from "./deliveries.ts";
import {
  NewWebhookBody,
  ReplayBody,
  readNewWebhook,
  readWebhookChanges,
  WebhookChangesBody,
  WebhookListQuery,
  WebhookPath,
} from "./input.ts";
import {
  presentTest,
  presentWebhook,
  type ReturnedWebhook,
  WebhookPage,
  WebhookReply,
  WebhookTestReply,
  WebhookWithSecretReply,
} from "./model.ts";
import { checkWebhookUrl, type WebhookRules } from "./send/address-rules.ts";
import { newWebhookSecret } from "./send/signature.ts";
import { changeWebhook, createWebhook, getWebhook, rotateSecret, webhookList } from "./store.ts";
import { testWebhook } from "./test-message.ts";

const detail = detailOf("Webhooks", "admin");

/** Without the secret in a dry run: no request would be signed with it. */
function withSecret(
  webhook: ReturnedWebhook,
  secret: string,
  { dryRun }: { dryRun?: string },
): ReturnedWebhook {
  return dryRun === "true" ? webhook : { ...webhook, secret };
}

/** The operations on the webhooks of the caller's organization. */
export function webhookRoutes(readRules: () => WebhookRules) {
  /** Throws `invalid_request` for a URL that requests may not be sent to. */
  async function checkUrl(url: string | undefined): Promise<void> {
    const violation = url === undefined ? undefined : await checkWebhookUrl(url, readRules());
    if (violation) throw invalidField("/url", violation.code, violation.detail);
  }

  return tenantRoutes("/api/v1/webhooks")
    .get(
      "",
      async ({ tenant, query, request, set }) => {
        const page = await webhookList.readFor(tenant, { ...query, ...pageOf(query) });
        return listReply({ request, set }, page.rows.map(presentWebhook), page);
      },
      {
        query: WebhookListQuery,
        response: replies({ 200: WebhookPage }, 400, 401, 500, 503),
        detail: detail("listWebhooks", "List webhooks", "Returns a page of the organization's webhooks."),
      },
    )
    .post(
      "",
      async ({ tenant, set, query, idempotency, body }) => {
        const input = readNewWebhook(body);
        await checkUrl(input.url);
        const secret = newWebhookSecret();
        return write({ tenant, set, query, idempotency }, async (tx) => {
          const webhook = presentWebhook(await createWebhook(tx, secret, input));
          const location = `/api/v1/webhooks/${webhook.id}`;
          const reply = created<ReturnedWebhook>(location, withSecret(webhook, secret, query));
          // A response that is stored for a replay does not have the secret.
          return { ...reply, storedBody: { data: webhook } };
        });
      },
      {
        parse: strictJson(NewWebhookBody),
        query: WriteQuery,
        body: NewWebhookBody,
        response: writeReplies(
          { 201: WebhookWithSecretReply },
          ["too_many_webhooks"],
          ...bodyProblems.filter((code) => code !== 404),
        ),
        detail: detail(
          "createWebhook",
          "Create a webhook",
          "From now on, each change with one of the `types` is sent to `url` in a POST request of its own, and again until the response is 2xx: at least once. The response has the `secret` that verifies the signatures, this once. An organization has at most 20 webhooks.",
        ),
      },
    )
    .get(
      "/:webhookId",
      async ({ tenant, params }) => ({
        data: presentWebhook(
          await tenant.readOne((snapshot) => getWebhook(snapshot, Number(params.webhookId))),
        ),
      }),
      {
        params: WebhookPath,
        response: replies({ 200: WebhookReply }, ...readProblems),
        detail: detail("getWebhook", "Get a webhook", "Returns a webhook without its secret."),
      },
    )
    .patch(
      "/:webhookId",
      async ({ tenant, set, query, idempotency, params, body }) => {
        const changes = readWebhookChanges(body);
        await checkUrl(changes.url);
        return write({ tenant, set, query, idempotency }, async (tx) =>
          ok(presentWebhook(await changeWebhook(tx, Number(params.webhookId), changes))),
        );
      },
      {
        parse: strictJson(WebhookChangesBody),
        params: WebhookPath,
        query: WriteQuery,
        body: WebhookChangesBody,
        response: writeReplies({ 200: WebhookReply }, [], ...bodyProblems),
        detail: detail(
          "updateWebhook",
          "Update a webhook",
          "Changes the fields that are sent and leaves the others. New `types` apply to changes after `position`. With `active` true after a pause, `disabledReason` becomes null, and the webhook continues where it stopped: changes that were deleted meanwhile are left out. A body without any listed field is rejected with `no_valid_fields`.",
        ),
      },
    )
    .delete(
      "/:webhookId",
      ({ tenant, set, query, idempotency, params }) =>
        writeInSteps({ tenant, set, query, idempotency }, async (isDryRun) => {
          await deleteWebhook(tenant, Number(params.webhookId), isDryRun);
          return deleted;
        }),
      {
        ...ignoredBody,
        params: WebhookPath,
        query: WriteQuery,
        response: writeReplies({ 204: NoContent }, [], ...readProblems),
        detail: detail("deleteWebhook", "Delete a webhook", "Deletes a webhook and its deliveries."),
      },
    )
    .post(
      "/:webhookId/rotate",
      ({ tenant, set, query, idempotency, params }) => {
        const secret = newWebhookSecret();
        return write({ tenant, set, query, idempotency }, async (tx) => {
          const webhook = presentWebhook(await rotateSecret(tx, Number(params.webhookId), secret));
          const reply = ok<ReturnedWebhook>(withSecret(webhook, secret, query));
          return { ...reply, storedBody: { data: webhook } };
        });
      },
      {
        ...ignoredBody,
        params: WebhookPath,
        query: WriteQuery,
        response: writeReplies({ 200: WebhookWithSecretReply }, [], ...readProblems),
        detail: detail(
          "rotateWebhookSecret",
          "Rotate the secret",
          "Replaces the secret and returns the new one, this once. For 24 hours, requests have a signature of each of the two.",
        ),
      },
    )
    .post(
      "/:webhookId/test",
      async ({ tenant, params, request }) => {
        holdRequest(request);
        const { signal } = request;
        const result = await testWebhook(tenant, Number(params.webhookId), { rules: readRules(), signal });
        return { data: presentTest(result) };
      },
      {
        ...ignoredBody,
        params: WebhookPath,
        response: replies({ 200: WebhookTestReply }, ...readProblems),
        detail: detail(
          "testWebhook",
          "Test a webhook",
          "Sends one request with a sample whose type is `webhook.test`, signed as a change would be, and returns the outcome after at most 15 seconds. Nothing is stored, and a webhook that is not active is tested, too. An organization has at most 4 tests at once.",
        ),
      },
    )
    .post(
      "/:webhookId/replay",
      ({ tenant, set, query, idempotency, params, body: { after } }) =>
        writeInSteps({ tenant, set, query, idempotency }, async (isDryRun) =>
          ok(presentWebhook(await replayWebhook(tenant, Number(params.webhookId), { after, isDryRun }))),
        ),
      {
        parse: strictJson(ReplayBody),
        params: WebhookPath,
        query: WriteQuery,
        body: ReplayBody,
        response: writeReplies({ 200: WebhookReply }, [], ...bodyProblems, 410),
        detail: detail(
          "replayWebhook",
          "Deliver changes again",
          "Deletes the deliveries after a sequence number, and delivers all changes after it again, as if they had just been made. Responds with `changes_expired` when some of them are no longer stored.",
        ),
      },
    );
}
