// The usual stack on Bun with PostgreSQL, written the usual way, as the documentation of each shows it: Elysia with
// shapes for what comes in and for what goes out, and Drizzle with queries that are built where they are needed.
import { Elysia, NotFoundError, ParseError } from "elysia";
import { presentAfter, presentBefore, presentListed, problem } from "./usual/present.ts";
import * as shapes from "./usual/shapes.ts";
import { receiveEvents } from "./usual-postgres/events.ts";
import {
  createAccount,
  getAccount,
  listAccounts,
  organizationOf,
  updateAccount,
} from "./usual-postgres/store.ts";

const api = new Elysia({ prefix: "/api/v1" })
  .derive(async ({ headers, set, status }) => {
    const organizationId = await organizationOf(headers["x-api-key"] ?? "");
    if (organizationId !== undefined) return { organizationId };
    set.headers["content-type"] = "application/problem+json";
    return status(401, { type: "about:blank", status: 401 });
  })
  .get(
    "/accounts",
    async ({ organizationId, query }) => {
      const { rows, total } = await listAccounts(organizationId, query);
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
    async ({ organizationId, params }) => {
      const found = await getAccount(organizationId, params.accountId);
      if (!found) throw new NotFoundError();
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
    async ({ organizationId, body, status, set }) => {
      const account = await createAccount(organizationId, body);
      set.headers.location = `/api/v1/accounts/${account.id}`;
      return status(201, { data: { ...presentBefore(account), ...presentAfter(account) } });
    },
    { body: shapes.NewAccountBody, response: { 201: shapes.CreatedReply } },
  )
  .patch(
    "/accounts/:accountId",
    async ({ organizationId, params, body }) => {
      if (Object.keys(body).length === 0) throw new ParseError();
      const { externalId, contactActivityAt: at, ...changes } = body;
      const activityAt = at ? new Date(at) : null;
      if (activityAt !== null && activityAt.getTime() > Date.now()) throw new ParseError();
      const account = await updateAccount(organizationId, params.accountId, {
        ...changes,
        ...(externalId !== undefined && { externalId: externalId || null }),
        ...(at !== undefined && { contactActivityAt: activityAt }),
      });
      if (!account) throw new NotFoundError();
      const contactActivityAt = account.contactActivityAt?.toISOString() ?? null;
      return { data: { ...presentBefore(account), contactActivityAt, ...presentAfter(account) } };
    },
    { params: shapes.AccountPath, body: shapes.AccountChangesBody, response: { 200: shapes.UpdatedReply } },
  )
  .post(
    "/events",
    async ({ organizationId, body }) => ({ data: await receiveEvents(organizationId, body.events) }),
    {
      body: shapes.EventsBody,
      response: { 200: shapes.ReceiptReply },
    },
  );

new Elysia()
  .onError(({ code, error, set }) => {
    if (code === "VALIDATION" || code === "PARSE") return problem(400);
    if (code === "NOT_FOUND") return problem(404);
    const cause = error instanceof Error && (error.cause ?? error);
    const isConflict = cause instanceof Error && "errno" in cause && cause.errno === "23505";
    if (!isConflict) console.error(error);
    return problem(isConflict ? 409 : Number(set.status) || 500);
  })
  .get("/livez", "ok")
  .use(api)
  .listen({ hostname: "127.0.0.1", port: Number(process.env.PORT) });
process.on("SIGTERM", () => process.exit(0));
