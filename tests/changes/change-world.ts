import { listKeys } from "../../src/api-keys/store.ts";
import { type Body, type Reply, world } from "../support/world.ts";

export const path = "/api/v1/changes";
export const hour = 3_600_000;
export const day = 24 * hour;

export type Change = {
  sequence: number;
  type: string;
  time: string;
  resourceId: number;
  accountId: number;
  actor: Body;
  requestId: string | null;
  before: Body | null;
  after: Body | null;
};
/** The members of a change that depend on what the request changes. The others depend on its caller and time. */
export type Recorded = Pick<Change, "type" | "resourceId" | "accountId" | "before" | "after">;
type World = Awaited<ReturnType<typeof world>>;
type Options = Parameters<World["call"]>[3];

/** A world with functions that read its change log. Requests have the request id "request-1" unless another is sent. */
export async function changeWorld(options: Parameters<typeof world>[0] = {}) {
  const here = await world(options);
  const [firstKey] = await listKeys(here.engine, here.first.id);
  const call: World["call"] = (method, to, body, { headers, ...rest } = {}) =>
    here.call(method, to, body, { headers: { "x-request-id": "request-1", ...headers }, ...rest });

  /** Sends a request and returns the data of the reply. Throws unless it succeeds. */
  async function send(method: string, to: string, body?: unknown, options?: Options) {
    const reply = await call(method, to, body, options);
    if (reply.status >= 300) throw new Error(`${method} ${to} failed: ${reply.text}`);
    return reply.body.data;
  }

  async function feed(query = "", options?: Options): Promise<Reply["body"]> {
    const reply = await call("GET", `${path}${query}`, undefined, options);
    if (reply.status !== 200) throw new Error(`no feed: ${reply.text}`);
    return reply.body;
  }

  /** Every change of the organization. */
  async function changes(options?: Options): Promise<Change[]> {
    const all: Change[] = [];
    for (;;) {
      const { data, pagination } = await feed(`?limit=1000&after=${all.length}`, options);
      all.push(...data);
      if (!pagination.hasNextPage) return all;
    }
  }

  return {
    ...here,
    call,
    send,
    feed,
    changes,
    /** Sends a request and returns the changes that it adds to the first organization's feed. */
    async recordedBy(request: () => Promise<unknown>): Promise<Change[]> {
      const before = (await changes()).length;
      await request();
      return (await changes()).slice(before);
    },
    nowText: () => new Date(here.now()).toISOString(),
    /** The expected changes of a request with the first organization's key, the first one after `sequence`. */
    expected(sequence: number, ...recorded: Recorded[]): Change[] {
      return recorded.map((change, index) => ({
        ...change,
        sequence: sequence + index + 1,
        time: new Date(here.now()).toISOString(),
        actor: { type: "key", id: firstKey?.id, name: "test" },
        requestId: "request-1",
      }));
    },
  };
}
