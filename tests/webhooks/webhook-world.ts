import { type Body, beginning, world } from "../support/world.ts";
import { rulesWith } from "./receiver.ts";

export const path = "/api/v1/webhooks";
export const url = "https://example.com/changes";
export const day = 86_400_000;

/** A world whose webhooks may have loopback addresses, and in which example.com has a public one. */
export async function webhookWorld() {
  const names = { "example.com": ["93.184.215.14"], "internal.example": ["10.0.0.7"] };
  const here = await world({ webhookRules: rulesWith({ isInsecure: true, names }) });
  const { call, execute, first } = here;

  /** Sends a request that succeeds, and returns the data of the reply. */
  async function send(method: string, target: string, body?: Body) {
    const reply = await call(method, target, body);
    if (reply.status >= 300) throw new Error(`${method} ${target} failed: ${reply.text}`);
    return reply.body.data;
  }
  return {
    ...here,
    send,
    create: (body: Body = {}) => send("POST", path, { url, ...body }),
    /** Creates accounts: each is one change. */
    async change(count: number) {
      for (let i = 0; i < count; i += 1) await here.account({ name: `A${i}` });
    },
    /** Stores a delivery of a webhook of the first organization as delivery does. */
    async deliver(webhook: number, sequence: number, status: string, createdAt = beginning) {
      const ended = status === "pending" ? "NULL, NULL, NULL" : `${beginning}, 500, 'busy'`;
      await execute(`INSERT INTO webhook_deliveries (organization_id, webhook_id, sequence, account_id, status, attempts,
          next_attempt_at, attempted_at, response_status, response_body, error, duration_milliseconds, created_at)
        VALUES (${first.id}, ${webhook}, ${sequence}, ${sequence}, '${status}', 2,
          ${status === "pending" ? beginning : "NULL"}, ${ended}, ${status === "failed" ? "'status'" : "NULL"}, 12, ${createdAt})`);
    },
    versionOf: async (id: number) => {
      const [row] = await here.rows<{ version: number }>("SELECT version FROM webhooks WHERE id = ?", id);
      return Number(row?.version);
    },
    sequences: async (id: number, query = "") => {
      const { data } = (await call("GET", `${path}/${id}/deliveries${query}`)).body;
      return data.map(({ sequence }: { sequence: number }) => sequence);
    },
  };
}
