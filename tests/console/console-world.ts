import { createSession } from "../../src/api-keys/sessions.ts";
import type { Key } from "../../src/api-keys/store.ts";
import { type Reply, world } from "../support/world.ts";

type RequestOptions = { token?: string; body?: unknown; headers?: Record<string, string> };

export const session = "/console/session";
export const accounts = "/api/v1/accounts";
export const fromConsole = { "x-accountd-console": "1" };

/** A world with the requests of the console's script: without a key, with its header and with a session's cookie. */
export async function consoleWorld(options: Parameters<typeof world>[0] = {}) {
  const here = await world(options);
  const { call, engine, first } = here;

  function send(method: string, path: string, { token, body, headers = {} }: RequestOptions = {}) {
    const cookie = token === undefined ? undefined : { cookie: `other=1; accountd_session=${token}; last=2` };
    return call(method, path, body, { key: null, headers: { ...fromConsole, ...cookie, ...headers } });
  }

  async function signIn(key = first.key, options: RequestOptions = {}): Promise<string> {
    const reply = await send("POST", session, { ...options, body: { key } });
    if (reply.status !== 200) throw new Error(`not signed in: ${reply.text}`);
    return tokenOf(reply);
  }

  return {
    ...here,
    send,
    /** Signs in with a key and returns the token of the cookie. */
    signIn,
    /** The token of a new link of a key. */
    link: async (key: Pick<Key, "id" | "organizationId">) => {
      const token = await engine.write(key.organizationId, (tx) => createSession(tx, key, "link"));
      if (token === undefined) throw new Error("the key is not valid");
      return token;
    },
    /** The status of a read of the API with a session. */
    read: async (token: string) => (await send("GET", accounts, { token })).status,
    /** Who is signed in; null for nobody. */
    who: async (token?: string) =>
      (await send("GET", session, token === undefined ? {} : { token })).body.data,
    stored: () =>
      here.rows<{ kind: string; hash: string }>(
        "SELECT kind, hash FROM sessions ORDER BY organization_id, kind",
      ),
  };
}

/** The value of the cookie that a reply sets. */
export function tokenOf({ headers }: Reply): string {
  return /^accountd_session=([^;]*);/.exec(headers.get("set-cookie") ?? "")?.[1] ?? "";
}
