import { strictJson } from "../http/body/body.ts";
import { tenantRoutes } from "../http/guard/guard.ts";
import { detailOf } from "../http/guard/required-scope.ts";
import { listReply } from "../http/replies/list-replies.ts";
import { replies } from "../http/replies/replies.ts";
import { memberSelector } from "../http/resource/selection.ts";
import { handleWrite } from "../http/resource/write.ts";
import { defineOperation } from "../http/resource/write-operations.ts";
import { writeReplies } from "../http/resource/write-schemas.ts";
import { pageOf } from "../http/validation/list-shapes.ts";
import { byExternalId, byId, conflicts, create, put } from "./by-key-routes.ts";
import { includesLists, readIncludedInPage, wantedMembers } from "./included.ts";
import {
  AccountExternalPath,
  AccountListQuery,
  AccountPutBody,
  CreateAccountQuery,
  NewAccountBody,
  UpdateAccountQuery,
} from "./input.ts";
import { accountList, readsScores } from "./list.ts";
import {
  AccountPage,
  addIncluded,
  CreatedAccountReply,
  presentListed,
  UpdatedAccountReply,
} from "./model.ts";

const readDetail = detailOf("Accounts", "read");
const writeDetail = detailOf("Accounts", "write");

const path = "/api/v1/accounts";
const putShapes = { params: AccountExternalPath, body: AccountPutBody };
/** The writes that batches may have. */
export const accountOperations = [
  defineOperation("POST", path, { body: NewAccountBody }, create),
  ...byId.batched(`${path}/:accountId`),
  ...byExternalId.batched(`${path}/external/:externalId`),
  defineOperation("PUT", `${path}/external/:externalId`, putShapes, put),
];

/** The operations on accounts. */
export const accountRoutes = tenantRoutes(path)
  .get(
    "",
    async ({ tenant, query, request, set }) => {
      const wanted = wantedMembers(query);
      if (wanted.has("health") || readsScores(query)) await tenant.runJob("scores");
      const page = accountList.request({ ...query, ...pageOf(query) });
      const place = includesLists(wanted) ? "reader" : page.place;
      const { rows, pagination, included } = await tenant.readList({ ...query, place }, async (snapshot) => {
        const found = await page.read(snapshot);
        const more = wanted.size > 0 ? await readIncludedInPage(snapshot, found.rows, wanted) : [];
        return { ...found, included: more };
      });
      const views = rows.map((row, i) => addIncluded(presentListed(row), included[i]));
      return listReply({ request, set }, views.map(memberSelector(query)), pagination);
    },
    {
      query: AccountListQuery,
      response: replies({ 200: AccountPage }, 400, 401, 500, 503),
      detail: readDetail(
        "listAccounts",
        "List accounts",
        "Returns a page of the organization's accounts. `contactActivityAt[lt]`: not seen since; `none`: never seen.",
      ),
    },
  )
  .get("/:accountId", byId.get, {
    ...byId.schemas.get,
    detail: readDetail(
      "getAccount",
      "Get an account",
      "Returns the account with its contacts, recent meetings and requests. An account of another organization is not found.",
    ),
  })
  .post("", handleWrite(create), {
    parse: strictJson(NewAccountBody),
    query: CreateAccountQuery,
    body: NewAccountBody,
    response: writeReplies({ 201: CreatedAccountReply }, conflicts, 400, 401, 413, 415, 500, 503),
    detail: writeDetail(
      "createAccount",
      "Create an account",
      "Creates an account and, with `contactName` or `contactEmail`, its first contact in the same transaction.",
    ),
  })
  .patch("/:accountId", byId.update, {
    ...byId.schemas.update,
    detail: writeDetail(
      "updateAccount",
      "Update an account",
      "Changes the members that are sent and leaves the others. When every value equals the stored one, nothing changes, `updatedAt` included. A body without any listed member is rejected with `no_valid_fields`.",
    ),
  })
  .delete("/:accountId", byId.delete, {
    ...byId.schemas.delete,
    detail: writeDetail(
      "deleteAccount",
      "Delete an account",
      "Deletes the account permanently, with its contacts, meetings, requests, events, usage and health. Events and usage are deleted in steps after the reply. The external ids can be used again at once. The change feed gets one `account.deleted`.",
    ),
  })
  .get("/external/:externalId", byExternalId.get, {
    ...byExternalId.schemas.get,
    detail: readDetail(
      "getAccountByExternalId",
      "Get an account by your own id",
      "Returns the account with this `externalId`, with its contacts, meetings and requests.",
    ),
  })
  .patch("/external/:externalId", byExternalId.update, {
    ...byExternalId.schemas.update,
    detail: writeDetail(
      "updateAccountByExternalId",
      "Update an account by your own id",
      "Updates the members that are sent. The body may change `externalId` itself.",
    ),
  })
  .put("/external/:externalId", handleWrite(put, { ...byExternalId.existing, canCreate: true }), {
    ...putShapes,
    parse: strictJson(AccountPutBody),
    query: UpdateAccountQuery,
    response: writeReplies(
      { 200: UpdatedAccountReply, 201: UpdatedAccountReply },
      [],
      ...([400, 401, 412, 413, 415, 500, 503] as const),
    ),
    detail: writeDetail(
      "putAccount",
      "Create or update an account by your own id",
      "Creates the account with this `externalId` (201) or updates it (200). An update changes the members that are sent and leaves the others. Pending usage events with this id are attached to a new account.",
    ),
  })
  .delete("/external/:externalId", byExternalId.delete, {
    ...byExternalId.schemas.delete,
    detail: writeDetail(
      "deleteAccountByExternalId",
      "Delete an account by your own id",
      "Deletes the account with this `externalId` permanently, with everything that belongs to it.",
    ),
  });
