import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

const here = import.meta.dir;

/** Builds the binary with the command of package.json, so that the shipped binary is measured. */
export async function build(): Promise<void> {
  await run([process.execPath, "run", "compile"], join(here, ".."));
}

/** Installs the locked dependencies of the other contestants unless they are installed. */
export async function install(folder = here): Promise<void> {
  if (isInstalled(folder)) return;
  await run(["npm", "ci", "--no-audit", "--no-fund"], folder, headers());
}

function isInstalled(folder: string): boolean {
  const lock = join(folder, "package-lock.json");
  const installed = join(folder, "node_modules/.package-lock.json");
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

/** Native modules are built with the headers of the installed Node, without a download. */
function headers(): Record<string, string> {
  const node = Bun.which("node");
  const prefix = node ? dirname(dirname(realpathSync(node))) : "";
  return existsSync(join(prefix, "include/node")) ? { npm_config_nodedir: prefix } : {};
}

async function run(cmd: string[], cwd: string, env: Record<string, string> = {}): Promise<void> {
  const child = Bun.spawn(cmd, { cwd, env: { ...Bun.env, ...env }, stdout: "ignore", stderr: "pipe" });
  const late = setTimeout(() => child.kill(), 600_000);
  const output = await child.stderr.text();
  clearTimeout(late);
  if ((await child.exited) !== 0) throw new Error(`${cmd.join(" ")} failed:\n${output.slice(-1_000)}`);
}
