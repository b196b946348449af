import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { AnyElysia, Context } from "elysia";
import type { AccountReference } from "../../core/resource/account-reference.ts";
import type { Tenant } from "../../core/tenant/tenant.ts";
import { type About, detailOf } from "../guard/required-scope.ts";
import { replies } from "../replies/replies.ts";
import { AccountPath, externalIdParameter, type WholeNumber } from "../validation/shapes.ts";
import { readProblems } from "./write-schemas.ts";

type AccountParams = { accountId?: WholeNumber; externalId?: WholeNumber };
/** A path that names an account, and how it describes an operation below it. */
export type NamedAccount = { path: string; params: TObject; aboutOf: (about: About) => About };

/** The account by its id and by its external id: each operation below an account has both paths. */
export const namedAccounts: readonly NamedAccount[] = [
  { path: "/accounts/:accountId", params: AccountPath, aboutOf: (about) => about },
  {
    path: "/accounts/external/:externalId",
    params: Type.Object({ externalId: externalIdParameter("The account's externalId") }),
    aboutOf: ([name, summary]) => [
      `${name}ByAccountExternalId`,
      `${summary} by the account's externalId`,
      `The same as \`${name}\`, for the account with this \`externalId\`.`,
    ],
  },
];

export function accountOf({ accountId, externalId }: AccountParams): AccountReference {
  return accountId === undefined
    ? { accountExternalId: String(externalId) }
    : { accountId: Number(accountId) };
}

type AccountRead<Query extends TObject, Reply extends TSchema> = {
  /** Below the account: `/usage`. */
  path: string;
  tag: string;
  query: Query;
  reply: Reply;
  about: About;
  read(
    context: Pick<Context, "request" | "set"> & {
      tenant: Tenant;
      account: AccountReference;
      query: Static<Query>;
    },
  ): Promise<Static<Reply>>;
};

/** Adds a read of what belongs to one account to the routes under `/api/v1`. */
export function addAccountRead<Routes extends AnyElysia, Query extends TObject, Reply extends TSchema>(
  routes: Routes,
  { path, tag, query, reply, about, read }: AccountRead<Query, Reply>,
): Routes {
  for (const account of namedAccounts) {
    const handler = ({
      tenant,
      params,
      query,
      request,
      set,
    }: Parameters<typeof read>[0] & { params: AccountParams }) =>
      read({ tenant, account: accountOf(params), query, request, set });
    // Safe: the handler gets what the schemas accept.
    routes.route("GET", account.path + path, handler as never, {
      params: account.params,
      query,
      response: replies({ 200: reply }, ...readProblems),
      detail: detailOf(tag, "read")(...account.aboutOf(about)),
    });
  }
  return routes;
}
