import { strictJson } from "../http/body.ts";
import { tenantRoutes } from "../http/guard.ts";
import { NoContent, problemReplies, replies } from "../http/replies.ts";
import { ignoredBody } from "../http/resource-schemas.ts";
import { AccountPath, pageOf } from "../http/shapes.ts";
import { AccountChangesBody, AccountListQuery, NewAccountBody } from "./input.ts";
import { listAccounts } from "./list.ts";
import {
  AccountPage,
  AccountReply,
  CreatedAccountReply,
  presentAccount,
  presentCreated,
  presentListed,
  presentUpdated,
  UpdatedAccountReply,
} from "./model.ts";
import { createAccount, deleteAccount, getAccount, updateAccount } from "./store.ts";

const tags = ["Accounts"];
const conflict = problemReplies(["external_id_conflict"]);

/** The operations on accounts by id. */
export const accountRoutes = tenantRoutes("/api/v1/accounts")
  .get(
    "",
    async ({ tenant, query }) => {
      const { rows, pagination } = await tenant.read((snapshot) =>
        listAccounts(snapshot, { ...query, ...pageOf(query) }),
      );
      return { data: rows.map(presentListed), pagination };
    },
    {
      query: AccountListQuery,
      response: replies({ 200: AccountPage }, 400, 401, 500, 503),
      detail: {
        tags,
        operationId: "listAccounts",
        summary: "List accounts",
        description:
          "Returns a page of the organization's accounts. Filters are combined with AND. Every order ends in `id`, so pages do not overlap while the data does not change. A page past the end is empty and has the true total.",
      },
    },
  )
  .get(
    "/:accountId",
    async ({ tenant, params }) => ({
      data: presentAccount(await tenant.read((snapshot) => getAccount(snapshot, Number(params.accountId)))),
    }),
    {
      params: AccountPath,
      response: replies({ 200: AccountReply }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        operationId: "getAccount",
        summary: "Get an account",
        description:
          "Returns the account with its contacts, recent meetings and requests. An account of another organization is not found.",
      },
    },
  )
  .post(
    "",
    async ({ tenant, body, set, status }) => {
      const account = await tenant.write((tx) => createAccount(tx, body));
      set.headers.location = `/api/v1/accounts/${account.id}`;
      return status(201, { data: presentCreated(account) });
    },
    {
      parse: strictJson(NewAccountBody),
      body: NewAccountBody,
      response: replies({ 201: CreatedAccountReply, ...conflict }, 400, 401, 413, 415, 500, 503),
      detail: {
        tags,
        operationId: "createAccount",
        summary: "Create an account",
        description:
          "Creates an account and, with `contactName` or `contactEmail`, its first contact in the same transaction.",
      },
    },
  )
  .patch(
    "/:accountId",
    async ({ tenant, params, body }) => ({
      data: presentUpdated(await tenant.write((tx) => updateAccount(tx, Number(params.accountId), body))),
    }),
    {
      parse: strictJson(AccountChangesBody),
      params: AccountPath,
      body: AccountChangesBody,
      response: replies({ 200: UpdatedAccountReply, ...conflict }, 400, 401, 404, 413, 415, 500, 503),
      detail: {
        tags,
        operationId: "updateAccount",
        summary: "Update an account",
        description:
          "Changes the members that are sent and leaves the others. When every value equals the stored one, nothing changes, `updatedAt` included. A body without any listed member is rejected with `no_valid_fields`.",
      },
    },
  )
  .delete(
    "/:accountId",
    async ({ tenant, params, set, status }) => {
      await tenant.write((tx) => deleteAccount(tx, Number(params.accountId)));
      delete set.headers["content-type"];
      return status(204, undefined);
    },
    {
      ...ignoredBody,
      params: AccountPath,
      response: replies({ 204: NoContent }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        operationId: "deleteAccount",
        summary: "Delete an account",
        description:
          "Deletes the account permanently, with its contacts, meetings, requests, events, usage and health. Events and usage are deleted in steps after the reply. The external ids can be used again at once. The change feed gets one `account.deleted`.",
      },
    },
  );
