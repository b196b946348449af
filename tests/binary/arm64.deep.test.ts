import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { buildTarget } from "../../deploy/release/runtime.ts";
import { releaseTargets } from "../../deploy/release/targets.ts";
import { version } from "../../package.json";
import { folder, output, start } from "./binary.ts";
import { sendRequest } from "./service.ts";

setDefaultTimeout(240_000);

const root = join(import.meta.dir, "../..");
const emulator = Bun.which("qemu-aarch64");

test.skipIf(emulator === null)(
  "the binary for Linux on arm64 creates keys, serves and stops, in an emulator",
  async () => {
    const cwd = folder();
    const file = join(cwd, "accountd");
    const target = releaseTargets.find(({ name }) => name === "linux-arm64");
    if (target === undefined) throw new Error("no target linux-arm64");
    await buildTarget(root, target, file);
    const program = [emulator ?? "", "-L", "/usr/aarch64-linux-gnu", file];
    expect(await output(["version"], { cwd, program })).toBe(version);
    await output(["organizations", "create", "Acme"], { cwd, program });
    const key = await output(["keys", "create", "--organization", "Acme"], { cwd, program });
    const server = await start(["serve", "--port", "0"], { cwd, program });
    const created = await sendRequest(server.url, key, "POST", "/api/v1/accounts", { name: "Éclair" });
    expect(created.status).toBe(201);
    // No search: the emulator does not start the reader processes.
    const read = await sendRequest(server.url, key, "GET", "/api/v1/accounts/1");
    expect(read.body).toMatchObject({ data: { id: 1, name: "Éclair" } });
    expect(await server.stop()).toBe(0);
    expect(await output(["check"], { cwd, program })).toBe("data/accountd.db is sound.");
  },
);
