// The least that can be done on this stack: Bun.serve, SQL by hand, replies put together as text. Nothing that
// comes in is checked but the key, and a list does not count.
import { organizationOf } from "./floor/database.ts";
import { receiveEvents, type UsageEvent } from "./floor/events.ts";
import { getAccount, listAccounts } from "./floor/reads.ts";
import { type Changes, createAccount, type NewAccount, updateAccount } from "./floor/writes.ts";

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  routes: {
    "/livez": () => new Response("ok"),
    "/api/v1/accounts": {
      GET: (request) => withKey(request, (organizationId) => listAccounts(organizationId, queryOf(request))),
      POST: async (request) => {
        const given = await bodyOf<NewAccount>(request);
        return withKey(request, (organizationId) => createAccount(organizationId, given));
      },
    },
    "/api/v1/accounts/:id": {
      GET: (request) =>
        withKey(request, (organizationId) => getAccount(organizationId, Number(request.params.id))),
      PATCH: async (request) => {
        const changes = await bodyOf<Changes>(request);
        const id = Number(request.params.id);
        return withKey(request, (organizationId) => updateAccount(organizationId, id, changes));
      },
    },
    "/api/v1/events": {
      POST: async (request) => {
        const { events } = await bodyOf<{ events: UsageEvent[] }>(request);
        return withKey(request, (organizationId) => receiveEvents(organizationId, events));
      },
    },
  },
  error: (error) =>
    problem("code" in error && error.code === "SQLITE_CONSTRAINT_UNIQUE" ? 409 : 500, error.message),
});
process.on("SIGTERM", () => process.exit(0));

function withKey(request: Request, work: (organizationId: number) => string | Response): Response {
  const organizationId = organizationOf(request.headers.get("x-api-key") ?? "");
  if (organizationId === undefined) return problem(401, "Unauthorized");
  const done = work(organizationId);
  if (typeof done !== "string") return done;
  return done === "" ? problem(404, "Not found") : new Response(done, asJson);
}

const asJson = { headers: { "content-type": "application/json" } };

function queryOf({ url }: Request): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start));
}

function bodyOf<T>(request: Request): Promise<T> {
  // Nothing is checked here: that is the point.
  return request.json() as Promise<T>;
}

function problem(status: number, title: string): Response {
  return Response.json(
    { type: "about:blank", title, status },
    { status, headers: { "content-type": "application/problem+json" } },
  );
}
