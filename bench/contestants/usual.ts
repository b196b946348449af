// The usual stack on Bun, written the usual way, as the documentation of each shows it: Elysia with shapes for
// what comes in and for what goes out, and Drizzle with queries that are built where they are needed.
import { Elysia } from "elysia";
import { receiveEvents } from "./usual/events.ts";
import { presentAfter, presentBefore, presentListed, problem } from "./usual/present.ts";
import * as shapes from "./usual/shapes.ts";
import { createAccount, getAccount, listAccounts, organizationOf, updateAccount } from "./usual/store.ts";

const api = new Elysia({ prefix: "/api/v1" })
  .derive(({ headers, set, status }) => {
    const organizationId = organizationOf(headers["x-api-key"] ?? "");
    if (organizationId !== undefined) return { organizationId };
    set.headers["content-type"] = "application/problem+json";
    return status(401, { type: "about:blank", status: 401 });
  })
  .get(
    "/accounts",
    ({ organizationId, query }) => {
      const { rows, total } = listAccounts(organizationId, query);
      const { page, pageSize } = query;
      const totalPages = Math.ceil(total / pageSize);
      const [hasNextPage, hasPrevPage] = [page < totalPages, page > 1];
      return {
        data: rows.map(presentListed),
        pagination: { page, pageSize, total, totalPages, hasNextPage, hasPrevPage },
      };
    },
    { query: shapes.AccountListQuery, response: { 200: shapes.PageReply } },
  )
  .get(
    "/accounts/:accountId",
    ({ organizationId, params }) => {
      const found = getAccount(organizationId, params.accountId);
      if (!found) return problem(404);
      return {
        data: {
          ...presentListed(found.account),
          contacts: found.contacts.map(({ id, name, email }) => ({ id, name, email })),
          meetings: found.meetings.map(({ id, title, startAt, endAt }) => ({
            id,
            title,
            startAt: startAt.toISOString(),
            endAt: endAt.toISOString(),
          })),
          requests: found.requests.map(({ id, title, status, severity, requestedAt }) => ({
            id,
            title,
            status,
            severity,
            requestedAt: requestedAt.toISOString(),
          })),
        },
      };
    },
    { params: shapes.AccountPath, response: { 200: shapes.AccountReply } },
  )
  .post(
    "/accounts",
    ({ organizationId, body, status, set }) => {
      const account = createAccount(organizationId, body);
      set.headers.location = `/api/v1/accounts/${account.id}`;
      return status(201, { data: { ...presentBefore(account), ...presentAfter(account) } });
    },
    { body: shapes.NewAccountBody, response: { 201: shapes.CreatedReply } },
  )
  .patch(
    "/accounts/:accountId",
    ({ organizationId, params, body }) => {
      if (Object.keys(body).length === 0) return problem(400);
      const { externalId, contactActivityAt: at, ...changes } = body;
      const moment = at ? new Date(at) : null;
      if (moment !== null && moment.getTime() > Date.now()) return problem(400);
      const account = updateAccount(organizationId, params.accountId, {
        ...changes,
        ...(externalId !== undefined && { externalId: externalId || null }),
        ...(at !== undefined && { contactActivityAt: moment }),
      });
      if (!account) return problem(404);
      const contactActivityAt = account.contactActivityAt?.toISOString() ?? null;
      return { data: { ...presentBefore(account), contactActivityAt, ...presentAfter(account) } };
    },
    { params: shapes.AccountPath, body: shapes.AccountChangesBody, response: { 200: shapes.UpdatedReply } },
  )
  .post("/events", ({ organizationId, body }) => ({ data: receiveEvents(organizationId, body.events) }), {
    body: shapes.EventsBody,
    response: { 200: shapes.ReceiptReply },
  });

new Elysia()
  .onError(({ code, error, set }) => {
    if (code === "VALIDATION" || code === "PARSE") return problem(400);
    if (code === "NOT_FOUND") return problem(404);
    const cause = error instanceof Error && (error.cause ?? error);
    const isConflict = cause instanceof Error && "code" in cause && cause.code === "SQLITE_CONSTRAINT_UNIQUE";
    if (!isConflict) console.error(error);
    return problem(isConflict ? 409 : Number(set.status) || 500);
  })
  .get("/livez", "ok")
  .use(api)
  .listen({ hostname: "127.0.0.1", port: Number(process.env.PORT) });
process.on("SIGTERM", () => process.exit(0));
