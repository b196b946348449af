// What a good engineer writes in Node: Fastify with schemas for what comes in and for what goes out, and
// better-sqlite3 with statements that are prepared once.
import { createHash } from "node:crypto";
import Fastify from "fastify";
import { organizationOf } from "./fastify/database.mjs";
import { getAccount, listAccounts } from "./fastify/reads.mjs";
import * as shapes from "./fastify/schemas.mjs";
import { changesOf } from "./fastify/values.mjs";
import { createAccount, receiveEvents, updateAccount } from "./fastify/writes.mjs";

const app = Fastify({
  bodyLimit: 1_048_576,
  // No type coercion, because the specification rejects values of the wrong type.
  ajv: { customOptions: { coerceTypes: false } },
});

app.setErrorHandler((error, _request, reply) => {
  const isConflict = error.code === "SQLITE_CONSTRAINT_UNIQUE";
  const status = isConflict ? 409 : (error.statusCode ?? 500);
  if (status >= 500) console.error(error);
  return problem(reply, status, status >= 500 ? "Internal error" : error.message);
});
app.setNotFoundHandler((_request, reply) => problem(reply, 404, "Not found"));

app.get("/livez", () => ({ status: "ok" }));

app.register(
  (api, _options, done) => {
    api.decorateRequest("organizationId", 0);
    // Before the body is read.
    api.addHook("onRequest", (request, reply, next) => {
      const key = request.headers["x-api-key"];
      const organizationId = key && organizationOf(createHash("sha256").update(key).digest("hex"));
      if (!organizationId) return problem(reply, 401, "Unauthorized");
      request.organizationId = organizationId;
      next();
    });

    api.get(
      "/accounts",
      { schema: { querystring: shapes.accountListQuery, response: { 200: shapes.pageReply } } },
      (request, reply) => {
        const { page, pageSize, ...asked } = request.query;
        reply.send(
          listAccounts(request.organizationId, {
            ...asked,
            page: Number(page),
            pageSize: Number(pageSize),
          }),
        );
      },
    );

    api.get(
      "/accounts/:accountId",
      { schema: { params: shapes.accountPath, response: { 200: shapes.accountReply } } },
      (request, reply) => {
        const data = getAccount(request.organizationId, Number(request.params.accountId));
        return data ? reply.send({ data }) : problem(reply, 404, "Not found");
      },
    );

    api.post(
      "/accounts",
      { schema: { body: shapes.newAccountBody, response: { 201: shapes.createdReply } } },
      (request, reply) => {
        const data = createAccount(request.organizationId, request.body);
        reply.code(201).header("location", `/api/v1/accounts/${data.id}`).send({ data });
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
      (request, reply) => {
        const changes = changesOf(request.body);
        if (Object.keys(changes).length === 0) return problem(reply, 400, "No valid fields");
        if (changes.contact_activity_at > Date.now())
          return problem(reply, 400, "contactActivityAt is in the future");
        const data = updateAccount(request.organizationId, Number(request.params.accountId), changes);
        return data ? reply.send({ data }) : problem(reply, 404, "Not found");
      },
    );

    api.post(
      "/events",
      { schema: { body: shapes.eventsBody, response: { 200: shapes.receiptReply } } },
      (request, reply) => {
        reply.send({ data: receiveEvents(request.organizationId, request.body.events) });
      },
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
