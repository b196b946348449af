// What a good engineer writes in Node on PostgreSQL: Fastify with schemas for what comes in and for what goes out, and
// pg with prepared statements by hand. A request has the fewest round trips that one transaction of its own allows.
import { createHash } from "node:crypto";
import Fastify from "fastify";
import * as shapes from "./fastify/schemas.mjs";
import { changesOf } from "./fastify/values.mjs";
import { organizationOf } from "./fastify-postgres/database.mjs";
import { receiveEvents } from "./fastify-postgres/events.mjs";
import { getAccount, listAccounts } from "./fastify-postgres/reads.mjs";
import { createAccount, updateAccount } from "./fastify-postgres/writes.mjs";

const app = Fastify({
  bodyLimit: 1_048_576,
  // No type coercion, because the specification rejects values of the wrong type.
  ajv: { customOptions: { coerceTypes: false } },
});

app.setErrorHandler((error, _request, reply) => {
  const isUniqueViolation = error.code === "23505";
  const status = isUniqueViolation ? 409 : (error.statusCode ?? 500);
  if (status >= 500) console.error(error);
  return problem(reply, status, status >= 500 ? "Internal error" : error.message);
});
app.setNotFoundHandler((_request, reply) => problem(reply, 404, "Not found"));

app.get("/livez", () => ({ status: "ok" }));

app.register(
  (api, _options, done) => {
    api.decorateRequest("organizationId", 0);
    // Before the body is read.
    api.addHook("onRequest", async (request, reply) => {
      const key = request.headers["x-api-key"];
      const organizationId = key && (await organizationOf(createHash("sha256").update(key).digest("hex")));
      if (!organizationId) return problem(reply, 401, "Unauthorized");
      request.organizationId = organizationId;
    });

    api.get(
      "/accounts",
      { schema: { querystring: shapes.accountListQuery, response: { 200: shapes.pageReply } } },
      ({ organizationId, query: { page, pageSize, ...filters } }) =>
        listAccounts(organizationId, { ...filters, page: Number(page), pageSize: Number(pageSize) }),
    );

    api.get(
      "/accounts/:accountId",
      { schema: { params: shapes.accountPath, response: { 200: shapes.accountReply } } },
      async ({ organizationId, params }, reply) => {
        const data = await getAccount(organizationId, params.accountId);
        return data ? { data } : problem(reply, 404, "Not found");
      },
    );

    api.post(
      "/accounts",
      { schema: { body: shapes.newAccountBody, response: { 201: shapes.createdReply } } },
      async ({ organizationId, body }, reply) => {
        const data = await createAccount(organizationId, body);
        return reply.code(201).header("location", `/api/v1/accounts/${data.id}`).send({ data });
      },
    );

    api.patch(
      "/accounts/:accountId",
      {
        schema: {
          params: shapes.accountPath,
          body: shapes.accountChangesBody,
          response: { 200: shapes.updatedReply },
        },
      },
      async ({ organizationId, params, body }, reply) => {
        const changes = changesOf(body);
        if (Object.keys(changes).length === 0) return problem(reply, 400, "No valid fields");
        if (changes.contact_activity_at > Date.now())
          return problem(reply, 400, "contactActivityAt is in the future");
        const data = await updateAccount(organizationId, params.accountId, changes);
        return data ? { data } : problem(reply, 404, "Not found");
      },
    );

    api.post(
      "/events",
      { schema: { body: shapes.eventsBody, response: { 200: shapes.receiptReply } } },
      async ({ organizationId, body }) => ({ data: await receiveEvents(organizationId, body.events) }),
    );
    done();
  },
  { prefix: "/api/v1" },
);

function problem(reply, status, title) {
  return reply.code(status).type("application/problem+json").send({ type: "about:blank", title, status });
}

await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
process.on("SIGTERM", () => process.exit(0));
