import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { requestStatuses } from "../../../../shared/fields/requests.ts";
import { oneOf, searchParameter, type ViewOf } from "../../address.ts";

export type ListedRequest = components["schemas"]["AccountRequest"];

/** The choice of requests that are neither done nor declined. */
export const UNRESOLVED = "unresolved";

/** The search and the filters of the requests: `severity` is the least one. */
export const requestParameters = {
  ...searchParameter,
  status: oneOf(requestStatuses, UNRESOLVED),
  severity: oneOf(["2", "3", "4", "5"] as const, "1"),
};
export type RequestsView = ViewOf<typeof requestParameters>;

const fold = (text: string) => text.normalize("NFC").toLowerCase();

export function isShown({ title, status, severity }: Omit<ListedRequest, "id">, view: RequestsView): boolean {
  const isResolved = status === "Done" || status === "Declined";
  const hasStatus = view.status === UNRESOLVED ? !isResolved : status === view.status;
  return hasStatus && severity >= Number(view.severity) && fold(title).includes(fold(view.search));
}
