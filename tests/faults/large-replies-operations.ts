import type { Document, Operation } from "../hostile/document.ts";
import type { PathIds } from "./large-replies-data.ts";
import { fair, fairAndOrder, type ReplyRow, type Target } from "./large-replies-rows.ts";
import { loadRequest } from "./load.ts";

const connections = 64;
/** The operations of the short form, which checks the order of the replies. */
const shortPaths = ["/api/v1/accounts", "/api/v1/changes"];
/** The parameters with the number of rows of a page. */
const sizes = ["pageSize", "limit"];
/** A POST creates the account to which examples refer. Deletions are last, because they need the rows. */
const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"];
/** Not found, in conflict with the same request before it, or over the limit of tests of a webhook. */
const repeatedStatuses = ["404", "409", "429"];

/** Each method has other rows: the example of one may be in conflict with the same example of another one. */
const idsOf: Readonly<Record<string, (ids: PathIds) => PathIds>> = {
  POST: ({ createdAccountId }) => ({ externalId: "x-3", accountId: Number(createdAccountId) }),
  PUT: () => ({ name: "declared" }),
  DELETE: ({ deletedContactId }) => ({
    ...{ externalId: "x-1", userId: "x-2" },
    contactId: Number(deletedContactId),
  }),
};

/** Every operation of the OpenAPI document: GET with its largest page, a write with the example of its body. */
export function operationRows(document: Document): ReplyRow[] {
  const { promptOperations } = document;
  // Sub-resources are deleted before their account.
  const all = methods.flatMap((method) => {
    const found = promptOperations.filter((operation) => operation.method === method);
    return method === "DELETE" ? found.reverse() : found;
  });
  return all.map((operation) => {
    const { method, path } = operation;
    const isRead = method === "GET";
    const isShort = isRead && shortPaths.includes(path);
    return {
      name: `${method} ${path}`,
      connections,
      requests: (target) => [requestOf(document, operation, target)],
      limits: isShort ? fairAndOrder : fair,
      isShort,
      ...(!isRead && { otherStatuses: repeatedStatuses }),
    };
  });
}

function requestOf(
  document: Document,
  { method, path, parameters, body }: Operation,
  target: Target,
): string {
  const ids: PathIds = { ...target.ids, ...idsOf[method]?.(target.ids) };
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (ids[name] === undefined) throw new Error(`no ${name} for ${path}`);
    return String(ids[name]);
  });
  const pages = parameters.filter(({ name }) => sizes.includes(name));
  const query = pages.map(({ name, schema }) => `?${name}=${schema.maximum}`).join();
  const example = body && document.resolve(body).examples?.[0];
  // Otherwise the row would not be found again.
  const changes = method === "PATCH" ? { ...Object(example), externalId: undefined } : example;
  return loadRequest(target.key, method, filled + query, {
    body: example === undefined ? undefined : JSON.stringify(changes),
  });
}
