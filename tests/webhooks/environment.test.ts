import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../support/certificates.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { receive } from "./receiver.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

const preload = ["--preload", join(import.meta.dir, "../../src/production.ts")];

/** The result of one attempt in a process with the environment. */
async function attemptWith(env: Record<string, string>, url: string, options = preload): Promise<unknown> {
  const program = join(import.meta.dir, "attempt-program.ts");
  const child = Bun.spawn([process.execPath, ...options, program, url], {
    env: { PATH: process.env.PATH, ...env },
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text());
}

test.each(["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])(
  "The proxy in %s is not used with http; without production.ts it would be",
  async (variable) => {
    const [proxy, receiver] = await Promise.all([receive(ok.replace("200", "502")), receive(ok)]);
    const environment = { [variable]: `http://127.0.0.1:${proxy.port}` };
    const url = `http://hooks.test:${receiver.port}/`;
    expect(await attemptWith(environment, url)).toEqual({ error: null, status: 200 });
    expect(proxy.connectionCount()).toBe(0);
    expect(await attemptWith(environment, url, [])).toEqual({ error: "status", status: 502 });
  },
);

test.each(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])(
  "The proxy in %s is not used with https; without production.ts it would be",
  async (variable) => {
    const [proxy, receiver] = await Promise.all([receive(ok.replace("200", "502")), receive(ok)]);
    const environment = { [variable]: `http://127.0.0.1:${proxy.port}` };
    const url = `https://hooks.test:${receiver.port}/`;
    expect(await attemptWith(environment, url)).toMatchObject({ error: "tls_failed" });
    expect([proxy.connectionCount(), receiver.connectionCount()]).toEqual([0, 1]);
    await attemptWith(environment, url, []);
    expect([proxy.connectionCount(), receiver.connectionCount()]).toEqual([1, 1]);
  },
);

test("NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored, and NODE_EXTRA_CA_CERTS adds an authority", async () => {
  const authority = createAuthority("Authority");
  const receiver = await receive(ok, authority.issue("hooks.test"));
  const folder = mkdtempSync(join(tmpdir(), "accountd-webhooks-"));
  closeAfterTest(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "authority.pem");
  writeFileSync(file, authority.certificate);
  const url = `https://hooks.test:${receiver.port}/`;
  const rejected = { error: "tls_failed", status: null };
  expect(await attemptWith({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, url)).toEqual(rejected);
  expect(await attemptWith({ NODE_EXTRA_CA_CERTS: file }, url)).toEqual({ error: null, status: 200 });
});
