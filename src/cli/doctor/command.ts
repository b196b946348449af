import { gapAt } from "../../../db/clock-gaps.ts";
import type { Inspection } from "../../../db/inspection.ts";
import { countPending } from "../../../db/migration.ts";
import type { Storage } from "../../../db/storage.ts";
import { type Flags, readDatabase, readServerConfig, type ServerConfig } from "../../config.ts";
import { maxClockSkewMilliseconds } from "../../core/event-limits.ts";
import { OperatorError } from "../../core/settings/operator-error.ts";
import { formatTimestamp } from "../../core/timestamps.ts";
import { limitOfOpenFiles, maxOpenFiles } from "../../server/open-files.ts";
import { storageOf } from "../../server/storage.ts";
import { version } from "../../version.ts";
import type { Command } from "../command.ts";
import { settingRows } from "../config.ts";
import { print, table } from "../output.ts";
import { serverOptions } from "../serve.ts";
import { examineBackups, readBackups } from "./backups.ts";
import { examineFile } from "./disk.ts";
import { type Finding, finding, formatDuration } from "./finding.ts";
import { examineServer } from "./server.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Examine configuration, database, disk, clock and backups, and say what to do. Changes nothing.",
  usage: "[--config FILE] [--database FILE] [--backup-dir DIR]",
  options: serverOptions,
  examples: ["doctor", "doctor --json --config /etc/accountd/accountd.toml"],
  async run({ flags }) {
    const settings = await settingRows(flags);
    const { config, ...configuration } = readConfig(flags, settings);
    const storage = await storageOf(readDatabase(flags), config?.connections);
    const { inspection, ...database } = await inspect(storage);
    const now = Date.now();
    const findings = [
      configuration.finding,
      database.finding,
      ...(inspection?.newestAt == null ? [] : [examineClock(inspection.newestAt, now)]),
      ...(await examineStorage(storage, inspection, config, now)),
      examineOpenFiles(),
    ];
    const status = (["error", "warning"] as const).find((worst) =>
      findings.some((finding) => finding.status === worst),
    );
    const rows = settings.map(({ name, value, origin }) => [name, value, origin]);
    const lines = findings.map(({ status, check, found, action }) => [
      status,
      check,
      `${found} ${action ?? ""}`,
    ]);
    print(
      flags.json
        ? JSON.stringify({ database: storage.name, status: status ?? "ok", findings, settings }, null, 2)
        : `${table([["SETTING", "VALUE", "ORIGIN"], ...rows])}\n\n${table(lines)}`,
    );
    if (status === "error") throw new OperatorError("not_healthy", "accountd doctor found errors.");
  },
};

function readConfig(flags: Flags, settings: readonly { origin: string }[]) {
  try {
    const setCount = settings.filter(({ origin }) => origin !== "default").length;
    const found = `All ${settings.length} settings are valid. Not the default: ${setCount}.`;
    return { config: readServerConfig(flags), finding: finding("configuration", found) };
  } catch (error) {
    return {
      finding: finding("configuration", messageOf(error), { error: "Until then, serve does not start." }),
    };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The versions, and what the database has. The tables of an older version are not read. */
async function inspect(storage: Storage): Promise<{ inspection?: Inspection; finding: Finding }> {
  try {
    const states = await storage.migrationStates();
    const pending = countPending(states);
    const schema = `schema ${states.length - pending} of ${states.length}`;
    const inspection = pending === 0 ? await storage.inspect() : undefined;
    const versions = [`accountd ${version}`, inspection?.engine, schema].filter(Boolean).join(", ");
    const warning = pending > 0 && "Make a backup; then serve, or accountd migrate, upgrades the database.";
    return { ...(inspection && { inspection }), finding: finding("versions", `${versions}.`, { warning }) };
  } catch (thrown) {
    const error = storage.file
      ? "If it should be there and whole: run accountd check, and restore a backup by accountd restore."
      : "Check the address, the role and its password, and whether the server runs.";
    return { finding: finding("database", messageOf(thrown), { error }) };
  }
}

async function examineStorage(
  { file }: Storage,
  inspection: Inspection | undefined,
  config: ServerConfig | undefined,
  now: number,
): Promise<Finding[]> {
  if (file === undefined)
    return inspection && config ? examineServer(inspection, { now, connections: config.connections }) : [];
  const backups = config && readBackups(config, now);
  return [
    ...(await examineFile(file, inspection, { now, backups: backups ?? [] })),
    ...(config ? [examineBackups(file, backups, { ...config, now })] : []),
  ];
}

function examineClock(newestAt: number, now: number): Finding {
  const side = newestAt > now ? "later" : "earlier";
  const found = `It is ${formatTimestamp(now)}. The newest row is ${formatDuration(now - newestAt)} ${side}.`;
  const isGap = gapAt(now, newestAt, undefined) !== undefined;
  return finding("clock", found, {
    error: newestAt > now + maxClockSkewMilliseconds && "Set the clock, by NTP.",
    warning: isGap && "If the clock is right, run accountd jobs run retention; otherwise set it.",
  });
}

/** Reads the limit of this process: a service manager sets another limit for the server. */
function examineOpenFiles(): Finding {
  const limit = limitOfOpenFiles() ?? "unknown";
  return finding("open files", `The limit of this process is ${limit}.`, {
    warning:
      Number(limit) < maxOpenFiles &&
      "Each connection needs one: set LimitNOFILE=65536 in the unit, or run ulimit -n 65536.",
  });
}
