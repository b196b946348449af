import { api } from "./api.ts";
import type { ListedAttribute } from "./pages/accounts/attribute-text.ts";

/** The attributes of the rows of a resource, with their labels and types. */
export async function readAttributes(
  resource: "accounts" | "contacts",
  signal: AbortSignal,
): Promise<ListedAttribute[]> {
  return (await api.GET("/api/v1/attributes", { params: { query: { resource } }, signal })).data.data;
}
