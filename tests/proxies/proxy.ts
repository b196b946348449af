import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import { codeBlocks, sectionOf } from "../documents/documents.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";

/** The proxies and their programs in Debian. */
export const programs = {
  nginx: "/usr/sbin/nginx",
  haproxy: "/usr/sbin/haproxy",
  apache: "/usr/sbin/apache2",
  caddy: "/usr/bin/caddy",
} as const;
export type ProxyName = keyof typeof programs;
// Safe: the object has these keys and no others.
export const proxyNames = Object.keys(programs) as ProxyName[];
export const installedProxies = proxyNames.filter((name) => existsSync(programs[name]));

const startMilliseconds = 10_000;
const isRoot = process.getuid?.() === 0;

/** The lines of `docs/operations.md` for a proxy, between other lines that it needs to run in a folder. */
const surroundings: Record<ProxyName, (lines: string, path: string, port: number) => string> = {
  nginx: (lines, path) => `${isRoot ? "user root;" : ""}
daemon off;
pid ${path}/pid;
error_log ${path}/log;
events { worker_connections 1024; }
http {
access_log ${path}/log;
${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${path}/${name};`).join("\n")}
${lines}
}
`,
  haproxy: (lines) => lines,
  apache: (lines, path, port) => `ServerRoot ${path}
ServerName localhost
PidFile ${path}/pid
DefaultRuntimeDir ${path}
ErrorLog ${path}/log
${isRoot ? "User www-data\nGroup www-data" : ""}
${["mpm_event", "authz_core", "filter", "deflate", "headers", "proxy", "proxy_http"]
  .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  .join("\n")}
Listen 127.0.0.1:${port}
LogFormat "%h %t \\"%r\\" %>s"
CustomLog ${path}/log "%h %t \\"%r\\" %>s"
${lines}
`,
  caddy: (lines) => lines.replace(/^\{/, "{\n\tadmin off"),
};

const commands: Record<ProxyName, (file: string, path: string) => string[]> = {
  nginx: (file, path) => ["-p", path, "-c", file],
  haproxy: (file) => ["-db", "-f", file],
  apache: (file) => ["-f", file, "-DFOREGROUND"],
  caddy: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
};

/** The documented lines for a proxy. */
export function documentedLines(name: ProxyName): string {
  const [lines] = codeBlocks(sectionOf("docs/operations.md", "## Behind a proxy"), name);
  if (lines === undefined) throw new Error(`docs/operations.md has no lines for ${name}`);
  return lines;
}

/**
 * Starts a proxy with the documented lines, or others, in front of `http://127.0.0.1:3000`, whose port is replaced. Ends it
 * after the test.
 */
export async function startProxy(name: ProxyName, upstream: string, lines = documentedLines(name)) {
  const path = folder();
  const port = await freePort();
  const file = join(path, "configuration");
  const target = new URL(upstream).host;
  const placed = lines
    .replace(/127\.0\.0\.1:3000|accountd-1:3000 accountd-2:3000/g, target)
    .replace(/^accounts\.example\.com|^\{\$SITE\}/m, "http://:80")
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("bind :80", `bind 127.0.0.1:${port}`)
    .replace(/(\*|http:\/\/):80\b/, `$1:${port}`);
  mkdirSync(join(path, "logs"));
  writeFileSync(file, surroundings[name](placed, path, port));
  const output = Bun.file(join(path, "output"));
  const child = Bun.spawn([programs[name], ...commands[name](file, path)], {
    env: { ...process.env, HOME: path, XDG_DATA_HOME: path, XDG_CONFIG_HOME: path },
    stdin: "ignore",
    stdout: output,
    stderr: output,
  });
  closeAfterTest(async () => {
    // Its workers end with it.
    child.kill("SIGTERM");
    await Promise.race([child.exited, Bun.sleep(2_000)]);
    child.kill("SIGKILL");
    await child.exited;
  });
  const log = () =>
    ["output", "log"]
      .map((name) => (existsSync(join(path, name)) ? readFileSync(join(path, name), "utf8") : ""))
      .join("");
  const end = performance.now() + startMilliseconds;
  while (!(await accepts(port))) {
    if (child.exitCode !== null || performance.now() > end)
      throw new Error(`${name} did not start:\n${log()}`);
    await Bun.sleep(20);
  }
  return { url: `http://127.0.0.1:${port}`, port, log };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });
}
