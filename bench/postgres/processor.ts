import { existsSync, readFileSync } from "node:fs";
import type { ProcessorTime } from "../results.ts";
import { figure } from "../table.ts";

/** The processor time until now, in ms. */
type ProcessorReading = ProcessorTime & { at: number };

/** Reads the time of a contestant, and of its server if that runs on this machine. */
export function readProcessor(server: { pid: number | undefined }, pid: number): ProcessorReading {
  return {
    at: performance.now(),
    contestant: processTime(pid),
    ...(server.pid !== undefined && { server: serverTime(server.pid) }),
  };
}

/** The time between two readings for each request, at a rate of requests. */
export function timesOf(before: ProcessorReading, after: ProcessorReading, perSecond: number): ProcessorTime {
  const requests = ((after.at - before.at) / 1000) * perSecond;
  const contestant = ((after.contestant - before.contestant) * 1000) / requests;
  if (before.server === undefined || after.server === undefined) return { contestant };
  return { contestant, server: ((after.server - before.server) * 1000) / requests };
}

/** The text for the line of a work. */
export function describeProcessor({ contestant, server }: ProcessorTime): string {
  const ofServer = server === undefined ? "" : ` + ${figure(server)}`;
  return `, processor ${figure(contestant)}${ofServer} µs`;
}

/** The processor time of all processes of the server, also of those that have ended, in ms. */
export function serverTime(pid: number): number {
  const own = statOf(pid);
  if (!own) return Number.NaN;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const ofChildren = children.map((child) => statOf(Number(child))?.own ?? 0);
  return own.own + own.ended + ofChildren.reduce((sum, time) => sum + time, 0);
}

/** The processor time of a process with its threads, in ms; NaN without one. */
export function processTime(pid: number): number {
  return statOf(pid)?.own ?? Number.NaN;
}

type ProcessStat = { name: string; parent: number; own: number; ended: number };

/** Linux counts in hundredths of a second. `ended` is the time of the children that have ended. */
function statOf(pid: number): ProcessStat | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  const [, name = "", rest = ""] = /\((.*)\) (.*)/s.exec(readFileSync(file, "utf8")) ?? [];
  const fields = rest.split(" ").map(Number);
  const milliseconds = (first: number) => ((fields[first] ?? 0) + (fields[first + 1] ?? 0)) * 10;
  return { name, parent: fields[1] ?? 0, own: milliseconds(11), ended: milliseconds(13) };
}

/** The process of the server, if `backend` is a process of this machine. */
export function postmasterOf(backend: number): number | undefined {
  const stat = statOf(backend);
  return stat && /^postgres/.test(stat.name) ? stat.parent : undefined;
}
