// What a good engineer writes in Node: Fastify with schemas for what comes in and for what goes out.
import { createHash } from "node:crypto";
import Fastify from "fastify";
import * as shapes from "./schemas.mjs";
import { changesOf } from "./values.mjs";

/** Serves the API by the functions of a store, which return values or promises. */
export async function serve(store) {
  const app = Fastify({
    bodyLimit: 1_048_576,
    // No type coercion, because the specification rejects values of the wrong type.
    ajv: { customOptions: { coerceTypes: false } },
  });
  app.setErrorHandler((error, _request, reply) => {
    const status = store.isConflict(error) ? 409 : (error.statusCode ?? 500);
    if (status >= 500) console.error(error);
    return problem(reply, status, status >= 500 ? "Internal error" : error.message);
  });
  app.setNotFoundHandler((_request, reply) => problem(reply, 404, "Not found"));
  app.get("/livez", () => ({ status: "ok" }));
  app.register(
    (api, _options, done) => {
      addRoutes(api, store);
      done();
    },
    { prefix: "/api/v1" },
  );
  await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT) });
  process.on("SIGTERM", () => process.exit(0));
}

function addRoutes(api, store) {
  api.decorateRequest("organizationId", 0);
  // Before the body is read.
  api.addHook("onRequest", (request, reply, next) => {
    const key = request.headers["x-api-key"];
    if (!key) return problem(reply, 401, "Unauthorized");
    const found = store.organizationOf(createHash("sha256").update(key).digest("hex"));
    after(found, (organizationId) => {
      if (!organizationId) return problem(reply, 401, "Unauthorized");
      request.organizationId = organizationId;
      next();
    })?.catch?.(next);
  });

  const listReplies = { querystring: shapes.accountListQuery, response: { 200: shapes.pageReply } };
  api.get("/accounts", { schema: listReplies }, ({ organizationId, query }) => {
    const { page, pageSize, ...filters } = query;
    return store.listAccounts(organizationId, { ...filters, page: Number(page), pageSize: Number(pageSize) });
  });

  const getReplies = { params: shapes.accountPath, response: { 200: shapes.accountReply } };
  api.get("/accounts/:accountId", { schema: getReplies }, ({ organizationId, params }, reply) =>
    after(store.getAccount(organizationId, Number(params.accountId)), (data) =>
      data ? { data } : problem(reply, 404, "Not found"),
    ),
  );

  const createReplies = { body: shapes.newAccountBody, response: { 201: shapes.createdReply } };
  api.post("/accounts", { schema: createReplies }, ({ organizationId, body }, reply) =>
    after(store.createAccount(organizationId, body), (data) =>
      reply.code(201).header("location", `/api/v1/accounts/${data.id}`).send({ data }),
    ),
  );

  const updateReplies = {
    params: shapes.accountPath,
    body: shapes.accountChangesBody,
    response: { 200: shapes.updatedReply },
  };
  api.patch("/accounts/:accountId", { schema: updateReplies }, ({ organizationId, params, body }, reply) => {
    const changes = changesOf(body);
    if (Object.keys(changes).length === 0) return problem(reply, 400, "No valid fields");
    if (changes.contact_activity_at > Date.now())
      return problem(reply, 400, "contactActivityAt is in the future");
    return after(store.updateAccount(organizationId, Number(params.accountId), changes), (data) =>
      data ? { data } : problem(reply, 404, "Not found"),
    );
  });

  const eventReplies = { body: shapes.eventsBody, response: { 200: shapes.receiptReply } };
  api.post("/events", { schema: eventReplies }, ({ organizationId, body }) =>
    after(store.receiveEvents(organizationId, body.events), (data) => ({ data })),
  );
}

/** Calls `use` with the value, or when the promise resolves. */
function after(value, use) {
  return value instanceof Promise ? value.then(use) : use(value);
}

function problem(reply, status, title) {
  return reply.code(status).type("application/problem+json").send({ type: "about:blank", title, status });
}
