import { expect, setDefaultTimeout, test } from "bun:test";
import { sendRequest } from "../binary/service.ts";
import { proxiedService } from "./proxied-service.ts";
import { documentedLines, installedProxies, type ProxyName, startProxy } from "./proxy.ts";

setDefaultTimeout(60_000);

const accounts = "/api/v1/accounts";

/** The documented lines for a proxy, and its lines for compression. */
const compressing: Record<Exclude<ProxyName, "haproxy">, (lines: string) => string> = {
  nginx: (lines) => `gzip on; gzip_types application/json; gzip_min_length 1; gzip_proxied any;\n${lines}`,
  apache: (lines) => lines.replace("</VirtualHost>", "SetOutputFilter DEFLATE\n</VirtualHost>"),
  caddy: (lines) =>
    lines.replace("reverse_proxy", "encode {\n\t\tgzip\n\t\tminimum_length 1\n\t}\n\treverse_proxy"),
};

test.each(installedProxies)("%s passes paths, bodies and entity tags on unchanged", async (name) => {
  const { url, key } = await proxiedService();
  const proxy = await startProxy(name, url);
  const send = (method: string, path: string, body?: unknown) =>
    sendRequest(proxy.url, key, method, path, body);
  for (const externalId of ["a/b", "a%b", "a b", "é?#;", "a//b"]) {
    const path = `${accounts}/external/${encodeURIComponent(externalId)}`;
    const created = await send("PUT", path, { name: "x".repeat(255) });
    expect([externalId, created.status, created.body.data?.externalId]).toEqual([
      externalId,
      201,
      externalId,
    ]);
    const direct = await sendRequest(url, key, "GET", path);
    const proxied = await send("GET", path);
    expect([proxied.status, proxied.text, proxied.headers.get("etag")]).toEqual([
      200,
      direct.text,
      direct.headers.get("etag"),
    ]);
  }
});

test.each(installedProxies.filter((name) => name !== "haproxy"))(
  "a row read through %s is saved with If-Match and revalidated, when the proxy compresses replies",
  async (name) => {
    const { url, key, send } = await proxiedService();
    const { id } = (await send("POST", accounts, { name: "x".repeat(255) })).body.data;
    const proxy = await startProxy(name, url, compressing[name](documentedLines(name)));
    const request = async (method: string, headers: Record<string, string>, body?: object) =>
      fetch(`${proxy.url}${accounts}/${id}?include=status`, {
        method,
        headers: {
          "x-api-key": key,
          "accept-encoding": "gzip",
          "content-type": "application/json",
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    for (const mrr of [1, 2]) {
      const read = await request("GET", {});
      expect(read.headers.get("content-encoding")).toBe("gzip");
      const tag = read.headers.get("etag") ?? "";
      expect((await request("GET", { "if-none-match": tag })).status).toBe(304);
      expect([tag, (await request("PATCH", { "if-match": tag }, { mrr })).status]).toEqual([tag, 200]);
      expect([tag, (await request("PATCH", { "if-match": tag }, { mrr: 9 })).status]).toEqual([tag, 412]);
    }
  },
);

test.skipIf(!installedProxies.includes("haproxy"))(
  "HAProxy's health check by HTTP/1.0 without a Host finds the server ready",
  async () => {
    const { url, key } = await proxiedService();
    // A check may take as long as the time between two checks, without `timeout check`.
    const lines = documentedLines("haproxy").replace("inter 2s", "inter 100ms\n    timeout check 2s");
    const proxy = await startProxy("haproxy", url, lines);
    // More checks than it takes to mark a server as down.
    await Bun.sleep(1_500);
    expect((await sendRequest(proxy.url, key, "GET", accounts)).status).toBe(200);
    expect(proxy.log()).not.toContain("DOWN");
  },
);
