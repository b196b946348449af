import type { TSchema } from "@sinclair/typebox";
import { publicPaths } from "../../src/http/guard/route-table.ts";
import type { World } from "./probes.ts";

/** A route of the application. `body` is the example of its request body, if it has one. */
export type Route = { method: string; path: string; parameters: string[]; body?: Record<string, unknown> };

/**
 * The ids in the paths: an account with the external id `acme`, its contact, meeting and request, a key other than
 * the key of the requests, a webhook, and a delivery that does not exist.
 */
export type Ids = Record<
  "accountId" | "contactId" | "meetingId" | "requestId" | "keyId" | "webhookId" | "deliveryId",
  number
>;

/** Every route that needs a key. */
export function routesOf({ app }: World): Route[] {
  return app.routes
    .filter(({ path }) => !publicPaths.has(path))
    .map(({ method, path, hooks }) => {
      // Safe: the shapes of queries and bodies are TypeBox's.
      const { query, body } = hooks as { query?: TSchema; body?: TSchema };
      const parameters = Object.keys(query?.properties ?? {});
      return { method, path, parameters, ...(body && { body: body.examples?.[0] }) };
    });
}

/** Creates the rows whose ids are in the paths. */
export async function furnish({ call, account }: World): Promise<Ids> {
  const { id } = await account({ name: "Acme", externalId: "acme" });
  const made = async (list: string, body: object): Promise<number> =>
    (await call("POST", `/api/v1/accounts/${id}/${list}`, body)).body.data.id;
  return {
    accountId: id,
    contactId: await made("contacts", { name: "Ada" }),
    meetingId: await made("meetings", { title: "Review", startAt: "2026-01-01", endAt: "2026-01-01" }),
    requestId: await made("requests", { title: "SSO" }),
    keyId: (await call("POST", "/api/v1/keys", { name: "another" })).body.data.id,
    webhookId: (await call("POST", "/api/v1/webhooks", { url: "https://receiver.invalid/" })).body.data.id,
    deliveryId: 1,
  };
}

/** The path with this id as its first parameter. */
export function withId(path: string, id: string | number): string {
  return path
    .replace(/:(?!externalId)\w+/, String(id))
    .replace(":deliveryId", "1")
    .replace(":externalId", "mine");
}

/** The path of an existing row. */
export function existing(path: string, ids: Ids): string {
  const [, name] = /:(?!externalId)(\w+)/.exec(path) ?? [];
  return withId(path, ids[(name ?? "accountId") as keyof Ids]);
}
