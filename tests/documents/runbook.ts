import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { output } from "../binary/binary.ts";
import { binary } from "../binary/build.ts";
import { sendRequest } from "../binary/service.ts";
import { bash } from "../support/bash.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { codeBlocks, sectionOf } from "./documents.ts";

const page = "docs/operations.md";
const section = sectionOf(page, "## Runbook");
const [setUp = ""] = codeBlocks(section, "sh");

/** The situations of the runbook. */
export const situations = [...section.matchAll(/^### (.*)$/gm)].map(([, name = ""]) => name);

/** A line of the runbook, what the page shows that it prints, and what it printed. */
export type Step = { line: string; shown: string; printed: string };

/**
 * A machine in a folder, for the lines of the runbook as root. `systemctl` starts and stops the real program, and
 * `journalctl` prints its log; `names` replaces addresses of the page.
 */
export async function machine(
  root: string,
  names: Record<string, string> = {},
  environment: Record<string, string> = {},
) {
  const port = String(await freePort());
  for (const path of ["var/lib/accountd", "var/backups/accountd", "usr/local/bin", "etc/systemd/system"])
    mkdirSync(join(root, path), { recursive: true });
  const program = join(root, "usr/local/bin/accountd");
  symlinkSync(await binary(), program);
  const replaced = { "127.0.0.1:3000": `127.0.0.1:${port}`, ...names };
  const path = `${join(root, "usr/local/bin")}:${Bun.env.PATH}`;
  const env = { ...environment, ROOT: root, PATH: path, PORT: port, LOG_REQUESTS: "true" };

  /** Runs shell commands as an operator would run the commands of the page, each with its output and errors. */
  async function runAll(commands: readonly string[]): Promise<string[]> {
    const lines = commands.map((line) => `{ ${line}\n} 2>&1; printf '\\x1e'`);
    let script = [setUp, ...lines].join("\n");
    script = script.replaceAll(/\/(?:var\/(?:lib|backups)|usr\/local\/bin|etc)\/\w/g, `${root}$&`);
    for (const [name, value] of Object.entries(replaced)) script = script.replaceAll(name, value);
    let printed = await bash(`${standIns}\n${script}\ntrue`, env);
    for (const [name, value] of Object.entries(replaced)) printed = printed.replaceAll(value, name);
    return printed.replaceAll(root, "").split("\x1e").slice(0, -1);
  }

  /** Runs the lines of a block of a situation, or of the runbook itself. */
  async function follow(situation: string, block = 0): Promise<Step[]> {
    const text = situation === "Runbook" ? section : sectionOf(page, `### ${situation}`);
    const shownSteps = (codeBlocks(text, "console")[block] ?? "")
      .split(/^\$ /m)
      .slice(1)
      .map((text) => /^(.*(?:\n {4}.*)*)\n([\s\S]*)$/.exec(text) ?? []);
    const printed = await runAll(shownSteps.map(([, line = ""]) => line));
    return shownSteps.map(([, line = "", shown = ""], i) => ({
      line,
      shown: shown.trim(),
      printed: printed[i]?.trim() ?? "",
    }));
  }

  const stop = () => runAll(["systemctl stop accountd"]);
  closeAfterTest(async () => void (await stop()));
  return {
    follow,
    runAll,
    command: (...args: string[]) =>
      output(args, { env: { DATABASE_URL: join(root, "var/lib/accountd/accountd.db") } }),
    send: (key: string, method: string, path: string, body?: unknown) =>
      sendRequest(`http://127.0.0.1:${port}`, key, method, path, body),
    database: join(root, "var/lib/accountd/accountd.db"),
    log: () => Bun.file(join(root, "journal")).text(),
  };
}

/** Whether a text is like the shown one, in which `…` stands for any text, and a line `…` for any number of lines. */
export function isLike(text: string, shown: string): boolean {
  const escaped = `\n${shown}`.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const pattern = escaped.replaceAll(/\n…(?=\n|$)/g, "(?:\\n[^]*)?").replaceAll("…", "[^]*");
  return new RegExp(`^${pattern}$`).test(`\n${text}`);
}

const standIns = `
runuser() { shift 3; command "$@"; }
journalctl() { case "$*" in *"-u accountd"*) cat "$ROOT/journal";; esac; }
timedatectl() { echo NTPSynchronized=yes; }
scp() { cp -p "$2" "$NEW_HOST\${3#*:"$ROOT"}"; }
chown() { true; }
start() {
  [ ! -e "$ROOT/etc/accountd/environment" ] || export "$(cat "$ROOT/etc/accountd/environment")"
  "$ROOT/usr/local/bin/accountd" serve >> "$ROOT/journal" 2>&1 < /dev/null &
  echo $! > "$ROOT/pid"
}
stop() {
  [ -e "$ROOT/pid" ] || return 0
  kill "$(cat "$ROOT/pid")"
  while kill -0 "$(cat "$ROOT/pid")" 2> /dev/null; do sleep 0.02; done
  rm "$ROOT/pid"
}
systemctl() {
  case "$*" in
    "stop accountd"|"disable --now accountd") stop;;
    "start accountd"|"enable --now accountd") start;;
    "restart accountd") stop; start;;
  esac
}
`;
