import { strictJson } from "../http/body.ts";
import { tenantRoutes } from "../http/guard.ts";
import { problemReplies, replies } from "../http/replies.ts";
import { pageOf } from "../http/shapes.ts";
import {
  AccountChangesBody,
  AccountExternalPath,
  AccountListQuery,
  AccountPath,
  AccountPutBody,
  NewAccountBody,
} from "./input.ts";
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
import { createAccount, getAccount, putAccount, updateAccount } from "./store.ts";

const tags = ["Accounts"];
const conflict = problemReplies(["external_id_conflict"]);

/** The four operations on accounts. */
export const accountRoutes = tenantRoutes("/api/v1/accounts")
  .get(
    "",
    async ({ tenant, query }) => {
      const { rows, pagination } = await listAccounts(tenant, { ...query, ...pageOf(query) });
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
          "A page of the organization's accounts. All given filters must hold. Every order ends in `id`, so pages never overlap; a page past the end is empty and carries the true total.",
      },
    },
  )
  .get(
    "/:accountId",
    async ({ tenant, params }) => ({
      data: presentAccount(await getAccount(tenant, Number(params.accountId))),
    }),
    {
      params: AccountPath,
      response: replies({ 200: AccountReply }, 400, 401, 404, 500, 503),
      detail: {
        tags,
        operationId: "getAccount",
        summary: "Get an account",
        description:
          "The account with its contacts, recent meetings and requests. An account of another organization is not found.",
      },
    },
  )
  .post(
    "",
    async ({ tenant, body, set, status }) => {
      const account = await createAccount(tenant, body);
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
          "Creates an account and, when `contactName` or `contactEmail` is given, its first contact, together or not at all. Answered when it is on the disk. Members that are not listed are ignored.",
      },
    },
  )
  .patch(
    "/:accountId",
    async ({ tenant, params, body }) => ({
      data: presentUpdated(await updateAccount(tenant, Number(params.accountId), body)),
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
          "Changes the members that are given and leaves the others. A change to what is stored already changes nothing, `updatedAt` included. A body without any listed member is refused with `no_valid_fields`.",
      },
    },
  )
  .put(
    "/external/:externalId",
    async ({ tenant, params, body, set, status }) => {
      const { row, created } = await putAccount(tenant, params.externalId, body);
      const reply = { data: presentUpdated(row) };
      if (!created) return reply;
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
          "Creates the account with this `externalId` (201), or updates it (200): members that are not given are left. Usage events that waited for the id are counted in it.",
      },
    },
  );
