/** The key in a request's headers; empty when there is none. */
export function readSecret(headers: Headers): string {
  const key = headers.get("x-api-key");
  if (key !== null) return key;
  const [scheme = "", credentials = ""] = (headers.get("authorization") ?? "").split(/ +/, 2);
  if (scheme.toLowerCase() === "bearer") return credentials;
  if (scheme.toLowerCase() === "basic")
    return Buffer.from(credentials, "base64").toString().split(":")[0] ?? "";
  return "";
}
