import { navigate } from "../../router.ts";
import { queryOfView, type View } from "./view.ts";

/** Shows another view: its address is a link to it. */
export function showView(view: View, { isReplaced = false } = {}): void {
  const query = queryOfView(view).toString();
  navigate(query === "" ? "/console/accounts" : `/console/accounts?${query}`, { isReplaced });
}
