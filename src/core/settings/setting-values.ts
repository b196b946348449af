import { UsageError } from "./operator-error.ts";
import { maxRateLimit } from "./rate-limit.ts";

const maxReadWorkers = 64;
const [minKeepAliveSeconds, maxKeepAliveSeconds] = [10, 255];
/** With less, no body of the largest size would fit into an organization's half. */
const minWaitingBytes = 2_097_152;

/** Days from `min` on. Throws UsageError, as every function of this file. */
export function parseDays(text: string, what: "event" | "change", min: number): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= min) return Number(text);
  throw invalidSetting(
    `--${what}-days (${what.toUpperCase()}_DAYS) must be a whole number of days from ${min} to 99999.`,
  );
}

export function parseReadWorkers(text: string): number | undefined {
  if (text === "auto") return undefined;
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= maxReadWorkers) return Number(text);
  throw invalidSetting(
    `--read-workers (READ_WORKERS) must be a number of processes from 1 to ${maxReadWorkers}, or auto.`,
  );
}

export function parseWaitingBytes(text: string): number {
  if (/^\d{1,12}$/.test(text) && Number(text) >= minWaitingBytes) return Number(text);
  throw invalidSetting(
    `--max-waiting-bytes (MAX_WAITING_BYTES) must be a number of bytes from ${minWaitingBytes} to 999999999999.`,
  );
}

/** Seconds, as Bun takes them. */
export function parseKeepAlive(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds >= minKeepAliveSeconds && seconds <= maxKeepAliveSeconds) return seconds;
  throw invalidSetting(
    `--keep-alive (KEEP_ALIVE) must be a number of seconds from ${minKeepAliveSeconds} to ${maxKeepAliveSeconds}.`,
  );
}

export function parseCount(text: string, name: string, max: number): number {
  if (/^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
  throw invalidSetting(`${name} must be a number from 1 to ${max}.`);
}

export function parseOptionalRate(text: string): number | undefined {
  return text === "off" ? undefined : parseRate(text, "--rate-limit (RATE_LIMIT)", 1, ", or off");
}

export function parseRate(text: string, name: string, min: number, other = ""): number {
  if (/^\d{1,7}$/.test(text) && Number(text) >= min && Number(text) <= maxRateLimit) return Number(text);
  throw invalidSetting(`${name} must be a number per minute from ${min} to ${maxRateLimit}${other}.`);
}

/** `on` or `off`. */
export function parseSwitch(text: string, name: string): boolean {
  if (/^(on|off)$/i.test(text)) return text.toLowerCase() === "on";
  throw invalidSetting(`${name} must be on or off.`);
}

export function parseBoolean(text: string, name: string): boolean {
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw invalidSetting(`${name} must be true or false.`);
}

export function invalidSetting(message: string): UsageError {
  return new UsageError(message, "invalid_setting");
}
