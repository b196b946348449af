import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { folder } from "./binary.ts";
import { bootSystemd, canBoot } from "./booted-systemd.ts";
import { buildPackage } from "./debian-package.ts";

setDefaultTimeout(240_000);

const shown = (...names: string[]) =>
  `systemctl show accountd --value ${names.map((n) => `-p ${n}`).join(" ")}`;
const pid = `$(${shown("MainPID")})`;
/** `health` waits up to 2 s. */
const waitForHealth = "for i in 1 2 3 4 5; do accountd health 2>/dev/null && break; sleep 1; done";

test.skipIf(!canBoot)(
  "under systemd, the unit of the package is started, restarted, upgraded and removed",
  async () => {
    const work = folder();
    const { run, copy } = await bootSystemd(folder());
    for (const version of ["1.2.3", "1.2.4"])
      await copy(await buildPackage(version, join(work, `${version}.deb`)), "opt");
    await run("dpkg --no-triggers -i /opt/1.2.3.deb");
    expect(await run("systemctl is-enabled accountd; systemctl is-active accountd")).toEqual([
      "disabled",
      "inactive",
    ]);
    await run("systemctl enable --now accountd");
    expect(await run(waitForHealth)).toEqual(["ok"]);
    const asUser = "runuser -u accountd -- accountd";
    const database = "--database /var/lib/accountd/accountd.db";
    expect(await run(`${asUser} organizations create acme ${database}`)).toEqual(["Organization 1 is acme."]);

    const [first] = await run(shown("MainPID"));
    await run(`kill -HUP ${pid}; sleep 0.3`);
    expect(await run(shown("MainPID"))).toEqual([first ?? ""]);
    // More often than systemd's default limit of starts allows.
    for (let i = 0; i < 7; i += 1) await run(`kill -KILL ${pid}; sleep 1.3`);
    expect(await run(waitForHealth)).toEqual(["ok"]);
    expect(Number((await run(shown("NRestarts")))[0])).toBeGreaterThan(5);

    const [beforeUpgrade] = await run(shown("MainPID"));
    await run("dpkg --no-triggers -i /opt/1.2.4.deb");
    expect(await run(waitForHealth)).toEqual(["ok"]);
    expect(await run(shown("MainPID"))).not.toEqual([beforeUpgrade ?? ""]);

    await run("dpkg -r accountd");
    expect(await run(shown("ActiveState", "LoadState"))).toEqual(["not-found", "inactive"]);
    await run("dpkg --no-triggers -i /opt/1.2.4.deb; systemctl enable --now accountd");
    expect(await run(`${waitForHealth}; ${asUser} organizations list ${database} | grep -o acme`)).toEqual([
      "ok",
      "acme",
    ]);
  },
);
