import { expect, setDefaultTimeout, test } from "bun:test";
import { newWebhookSecret } from "../../src/webhooks/send/signature.ts";
import { receivers, signedHeaders, startReceiver } from "./receivers.ts";

setDefaultTimeout(60_000);

const minute = 60_000;
const created = {
  ...{ sequence: 3, type: "account.created", resourceId: 1, accountId: 1, before: null },
  after: { id: 1, name: "Acme", mrr: 10, attributes: { plan: "pro" } },
};
const updated = {
  ...{ sequence: 4, type: "account.updated", resourceId: 1, accountId: 1 },
  ...{ before: { mrr: 10, attributes: { seats: null } }, after: { mrr: 20, attributes: { seats: 5 } } },
};
const contact = {
  ...{ sequence: 5, type: "contact.created", resourceId: 9, accountId: 1, before: null },
  after: { id: 9, name: "Ada", attributes: {} },
};
const deleted = {
  ...{ sequence: 6, type: "account.deleted", resourceId: 1, accountId: 1 },
  ...{ before: { id: 1, name: "Acme" }, after: null },
};

for (const receiver of receivers) {
  const { name, program } = receiver;
  const here = test.skipIf(!Bun.which(program));

  here(`${name} accepts a signature of its secret that is at most 5 minutes old, and no other`, async () => {
    const [secret, other] = [newWebhookSecret(), newWebhookSecret()];
    const { send, post, ids, rows } = await startReceiver(receiver, secret);
    const at = (milliseconds: number) => new Date(Date.now() + milliseconds);
    expect(await send(created, { id: "msg_1_3" })).toBe(204);
    expect(await send(created, { id: "msg_1_4", time: at(-4 * minute) })).toBe(204);
    expect(await send(created, { id: "msg_1_5", time: at(-6 * minute) })).toBe(401);
    expect(await send(created, { id: "msg_1_6", time: at(6 * minute) })).toBe(401);
    expect(await send(created, { id: "msg_1_7", key: other })).toBe(401);
    const body = JSON.stringify(created);
    const headers = signedHeaders("msg_1_8", new Date(), body, other, secret);
    expect(await post(headers, body.replace("Acme", "Evil"))).toBe(401);
    expect(await post({ ...headers, "webhook-id": "msg_1_9" }, body)).toBe(401);
    expect(await post({ ...headers, "webhook-signature": "v1,é v2" }, body)).toBe(401);
    for (const missing of ["webhook-id", "webhook-timestamp", "webhook-signature"] as const) {
      const { [missing]: _, ...others } = headers;
      expect([missing, await post(others, body)]).toEqual([missing, 401]);
    }
    expect(await post(headers, body)).toBe(204);
    expect(await post({ "content-type": "application/json" }, "x".repeat(2_000_000))).toBe(413);
    expect(ids()).toEqual(["msg_1_3", "msg_1_4", "msg_1_8"]);
    expect(rows()).toHaveLength(1);
  });

  here(`${name} applies each change once, in the order of its row, also after SIGKILL`, async () => {
    const { send, rows, ids, restart } = await startReceiver(receiver, newWebhookSecret());
    const fields = () => rows().map(({ name, fields }) => [name, fields && JSON.parse(fields)]);
    expect(await send(created, { id: "msg_1_3" })).toBe(204);
    expect(await send(updated, { id: "msg_1_4" })).toBe(204);
    const account = { id: 1, name: "Acme", mrr: 20, attributes: { plan: "pro", seats: 5 } };
    expect(fields()).toEqual([["account/1", account]]);
    await restart();
    // A repeated delivery, and a replay after the ids were deleted.
    expect(await send({ ...created, sequence: 99 }, { id: "msg_1_3" })).toBe(204);
    expect(await send(created, { id: "msg_2_3" })).toBe(204);
    expect(fields()).toEqual([["account/1", account]]);
    expect(await send(contact, { id: "msg_1_5" })).toBe(204);
    expect(await send({ ...created, type: "webhook.test", sequence: 0 }, { id: "msg_1_test" })).toBe(204);
    expect(fields()).toEqual([
      ["account/1", account],
      ["contact/9", contact.after],
    ]);
    expect(await send(deleted, { id: "msg_1_6" })).toBe(204);
    expect(await send(updated, { id: "msg_2_4" })).toBe(204);
    expect(fields()).toEqual([
      ["account/1", null],
      ["contact/9", null],
    ]);
    expect(ids()).toEqual(["msg_1_3", "msg_1_4", "msg_1_5", "msg_1_6", "msg_1_test", "msg_2_3", "msg_2_4"]);
  });
}
