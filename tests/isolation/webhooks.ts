import { expect } from "bun:test";
import type { Body } from "../support/world.ts";
import { type Case, type IsolationWorld, missing, sameAsMissing } from "./isolation-world.ts";

const path = "/api/v1/webhooks";
const url = "https://93.184.215.14/mine";

/** A request on the webhook of `theirs` is answered as one on a webhook that does not exist. */
const onWebhook =
  (method: string, suffix = "", body?: Body): Case =>
  async ({ send, theirs }) => {
    await sameAsMissing((id) => send(method, `${path}/${id}${suffix}`, body), theirs.webhook, missing);
  };

/** As `onWebhook`, and with a delivery of `theirs` below the webhook of `mine`. */
const onDelivery =
  (method: string, suffix = ""): Case =>
  async (world) => {
    const { send, mine, theirs } = world;
    await onWebhook(method, `/deliveries/${theirs.delivery}${suffix}`)(world);
    const below = (id: number) => send(method, `${path}/${mine.webhook}/deliveries/${id}${suffix}`);
    await sameAsMissing(below, theirs.delivery, missing);
  };

async function listed({ send }: IsolationWorld): Promise<string[]> {
  const { data, pagination } = (await send("GET", path)).body;
  expect(pagination.total).toBe(data.length);
  return data.map((webhook: { url: string }) => webhook.url);
}

/** The webhooks of an organization, and their deliveries. */
export const webhookCases: Record<string, Case> = {
  "GET /api/v1/webhooks": async (world) => {
    expect(await listed(world)).toEqual(["https://93.184.215.14/of-mine"]);
  },

  "POST /api/v1/webhooks": async (world) => {
    expect((await world.send("POST", path, { url })).status).toBe(201);
    expect(await listed(world)).toEqual(["https://93.184.215.14/of-mine", url]);
  },

  "GET /api/v1/webhooks/:webhookId": onWebhook("GET"),
  "PATCH /api/v1/webhooks/:webhookId": onWebhook("PATCH", "", { active: false }),
  "DELETE /api/v1/webhooks/:webhookId": onWebhook("DELETE"),
  "POST /api/v1/webhooks/:webhookId/rotate": onWebhook("POST", "/rotate"),
  "POST /api/v1/webhooks/:webhookId/test": onWebhook("POST", "/test"),
  "POST /api/v1/webhooks/:webhookId/replay": onWebhook("POST", "/replay", { after: 0 }),

  "GET /api/v1/webhooks/:webhookId/deliveries": async (world) => {
    await onWebhook("GET", "/deliveries")(world);
    const { data } = (await world.send("GET", `${path}/${world.mine.webhook}/deliveries`)).body;
    expect(data.map(({ responseBody }: { responseBody: string }) => responseBody)).toEqual(["of mine"]);
  },

  "GET /api/v1/webhooks/:webhookId/deliveries/:deliveryId": onDelivery("GET"),
  "POST /api/v1/webhooks/:webhookId/deliveries/:deliveryId/retry": onDelivery("POST", "/retry"),
};
