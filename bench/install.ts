import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const here = import.meta.dir;

/** Builds the binary as package.json says, so that what is measured is what is shipped. */
export async function build(): Promise<void> {
  await run([process.execPath, "run", "compile"], join(here, ".."));
}

/** Installs what the other contestants need, as it is locked, unless it is there already. */
export async function install(folder = here): Promise<void> {
  if (isInstalled(folder)) return;
  await run(["npm", "ci", "--no-audit", "--no-fund"], folder, headers());
}

/** Directus has a lock of its own, for most runs do without it: it takes minutes and half a gigabyte. */
export async function installDirectus(say: (line: string) => void): Promise<void> {
  const folder = join(here, "directus");
  if (isInstalled(folder)) return;
  say("installing Directus, which takes minutes …");
  await install(folder);
}

function isInstalled(folder: string): boolean {
  const lock = join(folder, "package-lock.json");
  const installed = join(folder, "node_modules/.package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

/** What is built from source takes node's headers from where node stands, and fetches none. */
function headers(): Record<string, string> {
  const node = Bun.which("node");
  const prefix = node ? dirname(dirname(realpathSync(node))) : "";
  return existsSync(join(prefix, "include/node")) ? { npm_config_nodedir: prefix } : {};
}

async function run(cmd: string[], cwd: string, env: Record<string, string> = {}): Promise<void> {
  const child = Bun.spawn(cmd, { cwd, env: { ...Bun.env, ...env }, stdout: "ignore", stderr: "pipe" });
  const late = setTimeout(() => child.kill(), 600_000);
  const said = await child.stderr.text();
  clearTimeout(late);
  if ((await child.exited) !== 0) throw new Error(`${cmd.join(" ")} failed:\n${said.slice(-1_000)}`);
}
