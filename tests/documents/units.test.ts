import { expect, test } from "bun:test";
import { join } from "node:path";

const deploy = join(import.meta.dir, "../../deploy");
const units = ["accountd.service", "accountd-postgres.service"];

/** The values of the keys of a section. */
async function sectionOf(unit: string, section: string): Promise<Record<string, string>> {
  const text = await Bun.file(join(deploy, unit)).text();
  const lines = text.split(/^\[(\w+)\]$/m);
  const body = lines[lines.indexOf(section) + 1] ?? "";
  return Object.fromEntries([...body.matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]));
}

test.each(units)("%s is restarted without a limit, and starts after the clock is set", async (unit) => {
  const { After, StartLimitIntervalSec } = await sectionOf(unit, "Unit");
  expect({ After: After?.split(" "), StartLimitIntervalSec }).toEqual({
    After: expect.arrayContaining(["time-sync.target"]),
    StartLimitIntervalSec: "0",
  });
  expect(await sectionOf(unit, "Service")).toMatchObject({ Restart: "always" });
});

test.skipIf(!Bun.which("systemd-analyze")).each(units)(
  "%s has an exposure of at most 1.5, as systemd-analyze computes it",
  async (unit) => {
    const path = join(deploy, unit);
    const child = Bun.spawn(["systemd-analyze", "security", "--offline=true", "--threshold=15", path], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const output = await child.stdout.text();
    // The exit code says whether the exposure is above the threshold, in tenths.
    expect({ code: await child.exited, overall: output.split("\n").at(-2) }).toEqual({
      code: 0,
      overall: expect.stringMatching(/Overall exposure level for \S+: 1\.[0-5] /),
    });
  },
);
