import { cpus, totalmem } from "node:os";

/** Where and of what the figures are: they mean nothing without it. */
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
  // Results of an earlier run are no change of what is measured.
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
