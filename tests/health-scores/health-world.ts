import { type Body, world } from "../support/world.ts";

export const hour = 3_600_000;
export const day = 24 * hour;

type Options = { key?: string };
export type Factor = Record<"value" | "score" | "weight", number> & { key: string; contribution: number };

/** A world with functions that change an account (1 by default) and read its health. */
export async function healthWorld() {
  const here = await world();
  const { call } = here;
  const textOf = (timestamp: number) => new Date(timestamp).toISOString();
  const health = async (query = "", accountId = 1) =>
    (await call("GET", `/api/v1/accounts/${accountId}/health${query}`)).body.data;

  async function send(method: string, path: string, body: Body, options: Options = {}) {
    const reply = await call(method, path, body, options);
    if (reply.status >= 300) throw new Error(`not stored: ${reply.text}`);
    return reply.body.data;
  }

  return {
    ...here,
    textOf,
    health,
    /** The factors by their keys. */
    async factors(query = "", accountId = 1): Promise<Record<string, Factor>> {
      const { factors } = await health(query, accountId);
      return Object.fromEntries(factors.map((factor: Factor) => [factor.key, factor]));
    },
    change: (changes: Body, accountId = 1, options: Options = {}) =>
      send("PATCH", `/api/v1/accounts/${accountId}`, changes, options),
    request: (body: Body, accountId = 1) =>
      send("POST", `/api/v1/accounts/${accountId}/requests`, { title: "SSO", ...body }),
    changeRequest: (id: number, changes: Body) => send("PATCH", `/api/v1/requests/${id}`, changes),
    meeting(start: number, accountId = 1) {
      const body = { title: "Review", startAt: textOf(start), endAt: textOf(start) };
      return send("POST", `/api/v1/accounts/${accountId}/meetings`, body);
    },
    /** Sends this number of events with one timestamp. */
    events(at: number, count = 1, accountId = 1) {
      const event = { event: "report.exported", accountId, timestamp: textOf(at) };
      return send("POST", "/api/v1/events", { events: new Array(count).fill(event) });
    },
    seen: (items: unknown, options: Options = {}) => call("POST", "/api/v1/last-seen", { items }, options),
    /** Creates an account whose score, from its contact activity only, is 100, 80, 60, 40, 20 or null. */
    async scored(score: number | null, body: Body = {}, options: Options = {}): Promise<number> {
      const { id } = await here.account({ name: "Acme", ...body }, options);
      const days = { 100: 0, 80: 3, 60: 7, 40: 14, 20: 30 }[score ?? 0];
      const at = days === undefined ? null : textOf(here.now() - days * day);
      await send("PATCH", `/api/v1/accounts/${id}`, { contactActivityAt: at }, options);
      return id;
    },
    list: (query = "", options: Options = {}) => call("GET", `/api/v1/health${query}`, undefined, options),
    /** The ids of the accounts on a page of the list. */
    async ids(query = ""): Promise<number[]> {
      const { data } = (await call("GET", `/api/v1/health${query}`)).body;
      return data.map((row: { accountId: number }) => row.accountId);
    },
  };
}
