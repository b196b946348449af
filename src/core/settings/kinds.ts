import { UsageError } from "./operator-error.ts";

/** How the text of a setting is read. `parse` throws UsageError, with the name of the setting as its subject. */
export type SettingKind<T> = {
  parse: (text: string, name: string) => T;
  /** What the help says about the values. */
  limits?: string | undefined;
};

/** Whole numbers; `what` is the noun in the message, such as "a number of seconds". `or`: a word in place of one. */
export function integer(what: string, min: number, max: number): SettingKind<number>;
export function integer(what: string, min: number, max: number, or: string): SettingKind<number | undefined>;
export function integer(
  what: string,
  min: number,
  max: number,
  or?: string,
): SettingKind<number | undefined> {
  return {
    limits: `${min} to ${max}`,
    parse(text, name) {
      if (text === or) return undefined;
      if (/^\d{1,12}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
      const word = or === undefined ? "" : `, or ${or}`;
      throw invalidSetting(`${name} must be ${what} from ${min} to ${max}${word}.`);
    },
  };
}

/** One of two words in any case, such as `on` and `off`; the first means true. `others` are further words for both. */
export function either(yes: string, no: string, others: readonly string[] = []): SettingKind<boolean> {
  return {
    parse(text, name) {
      const index = [yes, no, ...others].indexOf(text.toLowerCase());
      if (index < 0) throw invalidSetting(`${name} must be ${yes} or ${no}.`);
      return index % 2 === 0;
    },
  };
}

/** A text that `read` converts; undefined means that the text must be `what`. */
export function form<T extends object | number | string>(
  what: string,
  read: (text: string) => T | undefined | { fault: string },
): SettingKind<T> {
  return {
    parse(text, name) {
      const value = read(text);
      const fault = typeof value === "object" && "fault" in value ? value.fault : undefined;
      if (value === undefined || fault !== undefined)
        throw invalidSetting(`${name} must be ${what}${fault === undefined ? "." : `: ${fault}`}`);
      // Safe: a value without a fault.
      return value as T;
    },
  };
}

const durationUnits = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(text: string): number | undefined {
  const [, amount, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  // Safe: the letters of the expression.
  return amount === undefined
    ? undefined
    : Number(amount) * durationUnits[unit as keyof typeof durationUnits];
}

/** A time such as `12h`, in milliseconds. */
export const duration = form("a time from 1m, such as 12h or 7d", readDuration);

/** Names and addresses, with the zone of an IPv6 address. */
const hostPattern = /^(?:[^\s"'[\]/\p{Cc}]+|\[[\p{Hex_Digit}:.]+\])$/u;
const maxPort = 65_535;

/** A host without the brackets of an IPv6 address; undefined for a text that is no host, such as the empty one. */
export function readHost(text: string): string | undefined {
  return hostPattern.test(text) ? text.replace(/^\[(.*)\]$/, "$1") : undefined;
}

/** `HOST:PORT`, with brackets around an IPv6 address, or `off`. */
export const listenAddress = form("an address with a port, such as 127.0.0.1:9464, or off", (text) => {
  if (text === "off") return text;
  const [, hostText = "", digits] = /^([^[\]:]+|\[.+\]):(\d{1,5})$/.exec(text) ?? [];
  const [host, port] = [readHost(hostText), Number(digits)];
  return host !== undefined && port <= maxPort ? { host, port } : undefined;
});

export function invalidSetting(message: string): UsageError {
  return new UsageError(message, "invalid_setting");
}
