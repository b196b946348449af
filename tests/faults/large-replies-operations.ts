import type { Operation } from "../hostile/document.ts";
import { fair, fairAndOrder, type ReplyRow, requestsOf, type Target } from "./large-replies-rows.ts";

const connections = 64;
/** The operations of the short form, which checks the order of the replies. */
const shortPaths = ["/api/v1/accounts", "/api/v1/changes"];
/** The parameters with the number of rows of a page. */
const sizes = ["pageSize", "limit"];

/** Every GET operation of the OpenAPI document, with its largest page. */
export function operationRows(operations: readonly Operation[]): ReplyRow[] {
  const gets = operations.filter(({ method }) => method === "GET");
  return gets.map((operation) => {
    const isShort = shortPaths.includes(operation.path);
    const limits = isShort ? fairAndOrder : fair;
    const requests = (target: Target) => requestsOf(pathOf(operation, target))(target);
    return { name: `GET ${operation.path}`, connections, requests, limits, isShort };
  });
}

function pathOf({ path, parameters }: Operation, { ids }: Target): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    if (ids[name] === undefined) throw new Error(`no ${name} for ${path}`);
    return String(ids[name]);
  });
  const pages = parameters.filter(({ name }) => sizes.includes(name));
  return filled + pages.map(({ name, schema }) => `?${name}=${schema.maximum}`).join();
}
