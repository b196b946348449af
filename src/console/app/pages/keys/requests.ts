import type { components } from "../../../../../clients/typescript/src/client.ts";
import { api } from "../../api.ts";
import { keys as keyTexts } from "../../messages/messages.ts";

export type ListedKey = components["schemas"]["ApiKey"];
export type RevealedKey = components["schemas"]["CreatedApiKey"];

/** A page of the keys, the newest first. */
export async function readKeys(page: { cursor: string; pageSize: number }, signal: AbortSignal) {
  const query = { ...page, sortBy: "createdAt" as const, sortOrder: "desc" as const };
  return (await api.GET("/api/v1/keys", { params: { query }, signal })).data;
}

/** The name of a key, or its last characters if it has none. */
export function nameOfKey({ name, lastFour }: { name: string; lastFour: string }): string {
  return name === "" ? keyTexts.unnamedKey(lastFour) : name;
}
