import type { components } from "../../../../../clients/typescript/src/client.ts";
import { api } from "../../api.ts";
import { nextCursorOf } from "../../cursors.ts";
import type { Scope } from "../../session.ts";

export type ListedKey = components["schemas"]["ApiKey"];
export type RevealedKey = components["schemas"]["CreatedApiKey"];
export type KeyInput = { name: string; scopes: Scope[]; expiresAt: string | null; rateLimit: number | null };

/** A page of the keys, the newest first. */
export async function readKeys(
  cursor: string,
  signal: AbortSignal,
): Promise<{ keys: ListedKey[]; nextCursor: string | null }> {
  const query = { sortBy: "createdAt" as const, sortOrder: "desc" as const, cursor, pageSize: 50 };
  const { data } = await api.GET("/api/v1/keys", { params: { query }, signal });
  return { keys: data.data, nextCursor: nextCursorOf(data.pagination) };
}

export async function createKey(body: KeyInput): Promise<RevealedKey> {
  return (await api.POST("/api/v1/keys", { body })).data.data;
}

export async function revokeKey(keyId: number): Promise<void> {
  await api.DELETE("/api/v1/keys/{keyId}", { params: { path: { keyId } } });
}

/** The name of a key, or its last characters if it has none. */
export function nameOfKey({ name, lastFour }: { name: string; lastFour: string }): string {
  return name === "" ? `Key …${lastFour}` : name;
}
