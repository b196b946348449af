import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { command, organization } from "../support/server.ts";
import { folder, start } from "./binary.ts";
import { binary } from "./build.ts";
import { sendRequest } from "./service.ts";

setDefaultTimeout(120_000);

const canRun =
  ["strace", "systemd-analyze", "setpriv"].every((program) => Bun.which(program)) &&
  Bun.spawnSync(["unshare", "-m", "strace", "-o", "/dev/null", "true"]).exitCode === 0;

/** The system calls of a set of systemd. */
function callsOf(sets: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let name = "";
  for (const line of sets.split("\n")) {
    if (line.startsWith("@")) name = line.trim();
    if (/^ {4}[@a-z]/.test(line)) found.set(name, [...(found.get(name) ?? []), line.trim()]);
  }
  return found;
}

function expand(sets: ReadonlyMap<string, readonly string[]>, name: string): string[] {
  return (sets.get(name) ?? []).flatMap((entry) => (entry.startsWith("@") ? expand(sets, entry) : [entry]));
}

/** Everything read-only but the folder of the data, a /proc without other processes, no capabilities, an unprivileged user. */
const restricted = `set -e
mount --bind "$DATA" "$DATA"
mount -o remount,ro,bind /
mount -t proc -o subset=pid,hidepid=invisible proc /proc
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
  strace -f -e trace=all -e signal=none -o "$DATA/calls" "$@"`;

test.skipIf(!canRun)(
  "under the restrictions of the units, the server writes, reads slowly and serves commands, with system calls of their filter only",
  async () => {
    const data = folder({ unprivileged: true });
    const file = join(data, "accountd.db");
    const env = { DATA: data, DATABASE_URL: file };
    const key = await organization(file);
    Bun.spawnSync(["chown", "-R", "65534:65534", data]);
    const program = ["unshare", "-m", "sh", "-c", restricted, "sh", await binary()];
    const server = await start(["serve", "--port", "0"], { cwd: "/", env, program });
    const send = (method: string, path: string, body?: object) =>
      sendRequest(server.url, key, method, path, body);
    const statuses = [
      await send("POST", "/api/v1/accounts", { name: "Acme", mrr: 1 }),
      await send("POST", "/api/v1/events", { event: "x", externalId: "a", userId: "u" }),
      // In a reader process, whose priority is lowered.
      await send("GET", "/api/v1/accounts?search=ac&sortBy=mrr"),
      await send("GET", "/api/v1/accounts.csv"),
    ].map(({ status }) => status);
    expect(await command("organizations", "list", "--database", file)).toContain("First");
    expect(statuses).toEqual([201, 200, 200, 200]);
    const [pid] = readFileSync(join(data, "calls"), "utf8").split(" ");
    process.kill(Number(pid), "SIGTERM");
    while (server.isRunning()) await Bun.sleep(20);

    const unit = readFileSync(join(import.meta.dir, "../../deploy/accountd.service"), "utf8");
    expect(unit).toContain("\nSystemCallFilter=@system-service\nSystemCallFilter=~@privileged\n");
    const { stdout } = Bun.spawnSync(["systemd-analyze", "syscall-filter", "--no-pager"]);
    const sets = callsOf(stdout.toString());
    const allowed = new Set(expand(sets, "@system-service"));
    for (const call of expand(sets, "@privileged")) allowed.delete(call);
    const calls = new Set(
      [...readFileSync(join(data, "calls"), "utf8").matchAll(/^\d+ +(\w+)\(/gm)].map(([, call = ""]) => call),
    );
    expect(calls.size).toBeGreaterThan(40);
    expect([...calls].filter((call) => !allowed.has(call))).toEqual([]);
  },
);
