import { minJumpMilliseconds } from "../../../db/clock.ts";
import type { Inspection } from "../../../db/inspection.ts";
import type { ConnectionSettings } from "../../../db/storage.ts";
import { type Finding, finding, formatBytes, formatDuration } from "./finding.ts";

/** Connections of a server besides those for reads and writes: keys, large writes, sending and receiving notifications. */
const otherConnections = 4;
const maxClockDifferenceMilliseconds = 2_000;
const timeouts = ["statement_timeout", "transaction_timeout", "idle_session_timeout"];

/** The settings of a PostgreSQL server, and its clock. */
export function examineServer(
  { bytes, server }: Inspection,
  { now, connections }: { now: number; connections: ConnectionSettings },
): Finding[] {
  if (!server) return [];
  const { settings, time, isStandby, connectionCount } = server;
  const role = `The host ${isStandby ? "is a standby" : "accepts writes"}.`;
  const isOff = (name: string) => settings[name] === "off";
  const repair = (name: string) =>
    `A crash can damage the database. Set ${name} = on, and reload the server.`;
  return [
    finding("role", `${role} The database has ${formatBytes(bytes)}.`, {
      error: isStandby && "Name the primary, or all hosts, in the URL.",
    }),
    ...["fsync", "full_page_writes"].map((name) =>
      finding(name, `${name} is ${settings[name]}.`, { error: isOff(name) && repair(name) }),
    ),
    finding("synchronous_commit", `synchronous_commit is ${settings.synchronous_commit}.`, {
      warning:
        isOff("synchronous_commit") &&
        "A crash loses acknowledged writes. Set it to on, unless you accept that.",
    }),
    examineConnections(settings, connectionCount, connections),
    examineTimeouts(settings),
    examineDifference(now - time, settings.TimeZone ?? ""),
    finding("backups", "accountd makes none of PostgreSQL: use pg_dump, or an archive of the WAL."),
  ];
}

function examineConnections(
  settings: Record<string, string>,
  connectionCount: number,
  { readConnections, writeLanes }: ConnectionSettings,
): Finding {
  const needed = readConnections + writeLanes + otherConnections;
  const reserved = Number(settings.superuser_reserved_connections) + Number(settings.reserved_connections);
  const available = Number(settings.max_connections) - reserved;
  const found = `max_connections leaves ${available} connections; ${connectionCount} are in use. A server of accountd needs ${needed}.`;
  const action = "Raise max_connections, or lower --read-connections and --write-lanes.";
  return finding("connections", found, {
    error: available < needed && action,
    warning: available < 2 * needed && `A second server, such as for an upgrade, has no room. ${action}`,
  });
}

/** A server of accountd sets its own limits on its connections, but none of idle sessions. */
function examineTimeouts(settings: Record<string, string>): Finding {
  const found = timeouts.map((name) => `${name} is ${settings[name]}`).join(", ");
  const set = timeouts.filter((name) => settings[name] !== "0");
  const action = set.map((name) => `ALTER ROLE … SET ${name} = 0`).join(" and ");
  return finding("timeouts", `${found}.`, {
    warning:
      set.length > 0 && `It ends long commands or idle connections: run ${action} for the role of accountd.`,
  });
}

function examineDifference(difference: number, timeZone: string): Finding {
  const size = Math.abs(difference);
  const side = difference < 0 ? "behind" : "ahead of";
  const clocks =
    size <= maxClockDifferenceMilliseconds
      ? "The clocks of this machine and of the database agree"
      : `The clock of this machine is ${formatDuration(size)} ${side} the clock of the database`;
  const action = "Synchronize both by NTP.";
  return finding("clock difference", `${clocks}. The time zone is ${timeZone}; it has no effect.`, {
    // Retention follows the clock of the database then.
    error: size >= minJumpMilliseconds && action,
    warning: size > maxClockDifferenceMilliseconds && action,
  });
}
