import { expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/cli/doctor/finding.ts";
import { whyNoDisk } from "../faults/small-disk.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import { folder, run } from "./binary.ts";
import { service } from "./service.ts";

setDefaultTimeout(60_000);

/** Replaces the type that statfs(2) returns: a machine without these file systems cannot mount them. */
const source = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/statfs.h>
#define REPLACE(name, type) int name(const char *path, struct type *state) { \\
  int (*original)(const char *, struct type *) = dlsym(RTLD_NEXT, #name); \\
  int result = original(path, state); \\
  state->f_type = strtol(getenv("FILE_SYSTEM"), 0, 16); \\
  return result; }
REPLACE(statfs, statfs)
REPLACE(statfs64, statfs64)
`;

async function fileSystemOf(cwd: string, env: Record<string, string> = {}) {
  const { code, stdout } = await run(["doctor", "--json"], { cwd, env });
  const found: Finding[] = JSON.parse(stdout).findings;
  const { check: _, ...finding } = found.find(({ check }) => check === "file system") ?? {};
  return { code, ...finding };
}

const action = "Move the database to a file system of a local disk, such as ext4, XFS, Btrfs, ZFS or APFS.";
const hasCompiler = process.platform === "linux" && Bun.which("gcc") !== null;

test.skipIf(!hasCompiler)("doctor names network file systems, and FUSE", async () => {
  const { cwd, server } = await service();
  await server.stop();
  const built = folder();
  const library = join(built, "statfs.so");
  writeFileSync(join(built, "statfs.c"), source);
  const compile = ["gcc", "-shared", "-fPIC", "-o", library, join(built, "statfs.c"), "-ldl"];
  expect(Bun.spawnSync(compile).exitCode).toBe(0);
  const typed = (type: string) => fileSystemOf(cwd, { LD_PRELOAD: library, FILE_SYSTEM: type });
  const data = join(cwd, "data");
  for (const [type, name] of [
    ["6969", "NFS"],
    ["517b", "SMB"],
    ["ff534d42", "CIFS"],
    ["fe534d42", "SMB 2"],
    ["1021997", "9P"],
    ["c36400", "Ceph"],
    ["5346414f", "AFS"],
    ["786f4256", "vboxsf"],
  ] as const)
    expect(await typed(type)).toEqual({
      code: 1,
      status: "error",
      found: `${data} is on a network (${name}): locks and fsync are not reliable.`,
      action,
    });
  const fuse = `${data} is on FUSE: whether fsync is durable is not known.`;
  expect(await typed("65735546")).toEqual({ code: 0, status: "warning", found: fuse, action });
});

test.skipIf(whyNoDisk() !== undefined)("doctor names the layer of a container", async () => {
  const { cwd, server } = await service();
  await server.stop();
  const root = folder();
  const [lower, upper, work, mounted] = ["lower", "upper", "work", "mounted"].map((name) => join(root, name));
  for (const path of [lower, upper, work, mounted]) mkdirSync(path ?? "");
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  expect(Bun.spawnSync(["mount", "-t", "overlay", "-o", options, "overlay", mounted ?? ""]).exitCode).toBe(0);
  closeAfterTest(async () => void Bun.spawnSync(["umount", mounted ?? ""]));
  cpSync(cwd, mounted ?? "", { recursive: true });
  expect(await fileSystemOf(mounted ?? "")).toEqual({
    code: 0,
    status: "warning",
    found: `${mounted}/data is in the layer of a container: it is removed with the container.`,
    action: "Mount a volume there.",
  });
});
