import { strictJson } from "../http/body.ts";
import { tenantRoutes } from "../http/guard.ts";
import { NoContent, problemReplies, replies } from "../http/replies.ts";
import { ignoredBody } from "../http/resource-schemas.ts";
import { AccountChangesBody, AccountExternalPath, AccountPutBody } from "./input.ts";
import { AccountReply, presentAccount, presentUpdated, UpdatedAccountReply } from "./model.ts";
import {
  deleteAccountByExternalId,
  getAccountByExternalId,
  putAccount,
  updateAccountByExternalId,
} from "./store.ts";

const tags = ["Accounts"];
const conflict = problemReplies(["external_id_conflict"]);

/** The operations on accounts by external id. */
export const externalAccountRoutes = tenantRoutes("/api/v1/accounts/external")
  .get(
    "/:externalId",
    async ({ tenant, params }) => ({
      data: presentAccount(
        await tenant.read((snapshot) => getAccountByExternalId(snapshot, params.externalId)),
      ),
    }),
    {
      params: AccountExternalPath,
      response: replies({ 200: AccountReply }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        operationId: "getAccountByExternalId",
        summary: "Get an account by your own id",
        description: "Returns the account with this `externalId`, with its contacts, meetings and requests.",
      },
    },
  )
  .patch(
    "/:externalId",
    async ({ tenant, params, body }) => ({
      data: presentUpdated(
        await tenant.write((tx) => updateAccountByExternalId(tx, params.externalId, body)),
      ),
    }),
    {
      parse: strictJson(AccountChangesBody),
      params: AccountExternalPath,
      body: AccountChangesBody,
      response: replies({ 200: UpdatedAccountReply, ...conflict }, 400, 401, 404, 413, 415, 500, 503),
      detail: {
        tags,
        operationId: "updateAccountByExternalId",
        summary: "Update an account by your own id",
        description: "Updates the members that are sent. The body may change `externalId` itself.",
      },
    },
  )
  .put(
    "/:externalId",
    async ({ tenant, params, body, set, status }) => {
      const { row, isNew } = await tenant.write((tx) => putAccount(tx, params.externalId, body));
      const reply = { data: presentUpdated(row) };
      if (!isNew) return reply;
      set.headers.location = `/api/v1/accounts/${row.id}`;
      return status(201, reply);
    },
    {
      parse: strictJson(AccountPutBody),
      params: AccountExternalPath,
      body: AccountPutBody,
      response: replies({ 200: UpdatedAccountReply, 201: UpdatedAccountReply }, 400, 401, 413, 415, 500, 503),
      detail: {
        tags,
        operationId: "putAccount",
        summary: "Create or update an account by your own id",
        description:
          "Creates the account with this `externalId` (201) or updates it (200). An update changes the members that are sent and leaves the others. Pending usage events with this id are attached to a new account.",
      },
    },
  )
  .delete(
    "/:externalId",
    async ({ tenant, params, set, status }) => {
      await tenant.write((tx) => deleteAccountByExternalId(tx, params.externalId));
      delete set.headers["content-type"];
      return status(204, undefined);
    },
    {
      ...ignoredBody,
      params: AccountExternalPath,
      response: replies({ 204: NoContent }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        operationId: "deleteAccountByExternalId",
        summary: "Delete an account by your own id",
        description:
          "Deletes the account with this `externalId` permanently, with everything that belongs to it.",
      },
    },
  );
