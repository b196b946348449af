import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { ok, write } from "../http/resource/write.ts";
import { ignoredBody, readProblems, WriteQuery, writeReplies } from "../http/resource/write-schemas.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { getDelivery, readDeliveries, retryDelivery } from "./deliveries.ts";
import { DeliveryListQuery, DeliveryPath, WebhookPath } from "./input.ts";
import { DeliveryPage, DeliveryReply, presentDelivery } from "./model.ts";

const detail = detailOf("Webhooks", "admin");

export const deliveryRoutes = tenantRoutes("/api/v1/webhooks/:webhookId/deliveries")
  .get(
    "",
    async ({ tenant, params, query, request, set }) => {
      const page = { ...pageOf({ ...query, cursor: query.cursor ?? "" }), status: query.status };
      const found = await tenant.readList(page, (snapshot) =>
        readDeliveries(snapshot, Number(params.webhookId), page),
      );
      return listReply({ request, set }, found.rows.map(presentDelivery), found);
    },
    {
      params: WebhookPath,
      query: DeliveryListQuery,
      response: replies({ 200: DeliveryPage }, ...readProblems),
      detail: detail(
        "listWebhookDeliveries",
        "List the deliveries of a webhook",
        "Returns a page of the deliveries, newest first. A delivery that is not pending is deleted after 30 days.",
      ),
    },
  )
  .get(
    "/:deliveryId",
    async ({ tenant, params: { webhookId, deliveryId } }) => ({
      data: presentDelivery(
        await tenant.read((snapshot) => getDelivery(snapshot, Number(webhookId), Number(deliveryId))),
      ),
    }),
    {
      params: DeliveryPath,
      response: replies({ 200: DeliveryReply }, ...readProblems),
      detail: detail("getWebhookDelivery", "Get a delivery", "Returns a delivery of a webhook."),
    },
  )
  .post(
    "/:deliveryId/retry",
    ({ tenant, set, query, idempotency, params: { webhookId, deliveryId } }) =>
      write({ tenant, set, query, idempotency }, async (tx) =>
        ok(presentDelivery(await retryDelivery(tx, Number(webhookId), Number(deliveryId)))),
      ),
    {
      ...ignoredBody,
      params: DeliveryPath,
      query: WriteQuery,
      response: writeReplies({ 200: DeliveryReply }, ["webhook_inactive"], ...readProblems, 410),
      detail: detail(
        "retryWebhookDelivery",
        "Retry a delivery",
        "Makes a delivery pending and due, with no attempt counted, even if it was delivered. Later changes of its account wait for it.",
      ),
    },
  );
