import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { requestStatuses } from "../../../../shared/fields/requests.ts";
import { checkParameters, isSearch, type ParameterRules, searchOf } from "../../address.ts";

export type ListedRequest = components["schemas"]["AccountRequest"];
type RequestStatus = (typeof requestStatuses)[number];

/** The choice of requests that are neither done nor declined. */
export const UNRESOLVED = "unresolved";
export type RequestsView = { search: string; status: RequestStatus | typeof UNRESOLVED; severity: number };

const isStatus = (value: string): value is RequestStatus =>
  requestStatuses.some((status) => status === value);
const isSeverity = (value: string) => /^[2-5]$/.test(value);

/** The search and the filters of the address. */
export function requestsViewOf(query: URLSearchParams): RequestsView {
  const [status, severity] = [query.get("status") ?? "", query.get("severity") ?? ""];
  return {
    search: searchOf(query),
    status: isStatus(status) ? status : UNRESOLVED,
    severity: isSeverity(severity) ? Number(severity) : 1,
  };
}

const parameters: ParameterRules = { search: isSearch, status: isStatus, severity: isSeverity };

export const checkRequests = (query: URLSearchParams) => checkParameters(query, parameters);

const fold = (text: string) => text.normalize("NFC").toLowerCase();

export function isShown({ title, status, severity }: Omit<ListedRequest, "id">, view: RequestsView): boolean {
  const isResolved = status === "Done" || status === "Declined";
  const hasStatus = view.status === UNRESOLVED ? !isResolved : status === view.status;
  return hasStatus && severity >= view.severity && fold(title).includes(fold(view.search));
}
