import { expect, test } from "bun:test";
import { join } from "node:path";

/** The values of the keys of a section. */
async function sectionOf(unit: string, section: string): Promise<Record<string, string>> {
  const text = await Bun.file(join(import.meta.dir, "../../deploy", unit)).text();
  const lines = text.split(/^\[(\w+)\]$/m);
  const body = lines[lines.indexOf(section) + 1] ?? "";
  return Object.fromEntries([...body.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]));
}

test.each(["accountd.service", "accountd-postgres.service"])(
  "%s is restarted without a limit, and starts after the clock is set",
  async (unit) => {
    const { After, StartLimitIntervalSec } = await sectionOf(unit, "Unit");
    expect({ After: After?.split(" "), StartLimitIntervalSec }).toEqual({
      After: expect.arrayContaining(["time-sync.target"]),
      StartLimitIntervalSec: "0",
    });
    expect(await sectionOf(unit, "Service")).toMatchObject({ Restart: "on-failure" });
  },
);
