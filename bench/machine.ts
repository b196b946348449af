import { cpus, totalmem } from "node:os";

/** The machine and the versions that were measured. */
export type Machine = {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  bun: string;
  node: string;
  commit: string;
  date: string;
};

export async function machineOf(date: Date): Promise<Machine> {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    bun: Bun.version,
    node: await outputOf(["node", "--version"]),
    commit: await commitOf(),
    date: date.toISOString(),
  };
}

async function commitOf(): Promise<string> {
  const commit = await outputOf(["git", "rev-parse", "--short", "HEAD"]);
  // Results of an earlier run do not change the measured program.
  const changed = await outputOf(["git", "status", "--porcelain", "--", "..", ":!results"]);
  return changed === "" ? commit : `${commit}, changed`;
}

async function outputOf(cmd: string[]): Promise<string> {
  try {
    const child = Bun.spawn(cmd, { cwd: import.meta.dir, stdout: "pipe", stderr: "ignore" });
    return (await child.stdout.text()).trim();
  } catch {
    return "unknown";
  }
}
