import type { components } from "../../../../../clients/typescript/src/client.ts";
import { api } from "../../api.ts";
import { messages } from "../../messages/messages.ts";
import type { Scope } from "../../session.ts";

export type ListedKey = components["schemas"]["ApiKey"];
export type RevealedKey = components["schemas"]["CreatedApiKey"];
export type KeyInput = { name: string; scopes: Scope[]; expiresAt: string | null; rateLimit: number | null };

/** A page of the keys, the newest first. */
export async function readKeys(page: { cursor: string; pageSize: number }, signal: AbortSignal) {
  const query = { ...page, sortBy: "createdAt" as const, sortOrder: "desc" as const };
  return (await api.GET("/api/v1/keys", { params: { query }, signal })).data;
}

export async function createKey(body: KeyInput): Promise<RevealedKey> {
  return (await api.POST("/api/v1/keys", { body })).data.data;
}

export async function revokeKey(keyId: number): Promise<void> {
  await api.DELETE("/api/v1/keys/{keyId}", { params: { path: { keyId } } });
}

/** The name of a key, or its last characters if it has none. */
export function nameOfKey({ name, lastFour }: { name: string; lastFour: string }): string {
  return name === "" ? messages.keys.unnamedKey(lastFour) : name;
}
