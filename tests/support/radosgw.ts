import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bucket, bucketOf } from "./bucket.ts";
import { freePort } from "./free-port.ts";

/** Of the packages ceph-mon, ceph-osd and radosgw. */
const programs = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin", "curl"];
const storeBytes = 2 ** 30;
const [accessKey, secretKey] = ["backup", "secret"];

/** Why the tests cannot run here. */
export function whyNoRadosgw(): string | undefined {
  const missing = programs.find((name) => Bun.which(name) === null);
  return missing && `${missing} is not installed`;
}

export type Radosgw = Bucket & {
  /** Kills the gateway. The store stays. */
  kill: () => Promise<void>;
  startGateway: () => Promise<void>;
  /** Runs radosgw-admin. The user is `backup`. */
  admin: (...words: string[]) => void;
  remove: () => Promise<void>;
};

/** Ceph with one monitor and one store in memory, and its gateway for S3 with the bucket `bucket`. */
export async function startRadosgw(): Promise<Radosgw> {
  const folder = mkdtempSync(join(tmpdir(), "accountd-ceph-"));
  const [monitorPort, port] = [await freePort(), await freePort()];
  const [cluster, store] = [crypto.randomUUID(), crypto.randomUUID()];
  const address = `v1:127.0.0.1:${monitorPort}`;
  const file = join(folder, "ceph.conf");
  writeFileSync(file, configuration({ folder, cluster, address, port }));
  for (const name of ["mon", "osd", "gateway"]) mkdirSync(join(folder, name));
  const map = join(folder, "map");
  run("monmaptool", "--create", "--addv", "a", `[${address}]`, "--fsid", cluster, map);
  run("ceph-mon", "-c", file, "-i", "a", "--mkfs", "--monmap", map);
  const monitor = start("ceph-mon", "-c", file, "-f", "-i", "a");
  run("ceph", "-c", file, "osd", "new", store);
  run("ceph-osd", "-c", file, "-i", "0", "--mkfs", "--osd-uuid", store);
  const disk = await startStore(file);
  const user = [
    "--uid=backup",
    "--display-name=Backup",
    `--access-key=${accessKey}`,
    `--secret=${secretKey}`,
  ];
  const admin = (...words: string[]) => run("radosgw-admin", "-c", file, ...words);
  admin("user", "create", ...user);
  const endpoint = `http://127.0.0.1:${port}`;
  let gateway: Bun.Subprocess | undefined;
  async function startGateway(): Promise<void> {
    gateway = start("radosgw", "-c", file, "-n", "client.gateway", "-f");
    while (!(await fetch(endpoint).catch(() => undefined))) await Bun.sleep(50);
  }
  async function kill(): Promise<void> {
    gateway?.kill("SIGKILL");
    await gateway?.exited;
  }
  await startGateway();
  // Bun's client has no method for buckets.
  const signed = ["--aws-sigv4", "aws:amz:auto:s3", "--user", `${accessKey}:${secretKey}`];
  const header = "x-amz-content-sha256: UNSIGNED-PAYLOAD";
  run("curl", "--fail", "-sS", "-X", "PUT", ...signed, "--header", header, `${endpoint}/bucket`);
  return {
    ...bucketOf(endpoint, accessKey, secretKey),
    kill,
    startGateway,
    admin,
    remove: async () => {
      await kill();
      for (const child of [disk, monitor]) {
        child.kill("SIGKILL");
        await child.exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Addresses = { folder: string; cluster: string; address: string; port: number };

function configuration({ folder, cluster, address, port }: Addresses): string {
  return `[global]
fsid = ${cluster}
mon_host = ${address}
mon_initial_members = a
ms_bind_ipv6 = false
public_network = 127.0.0.0/8
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
osd_pool_default_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_data_avail_crit = 1
run_dir = ${folder}
log_file = ${folder}/$name.log
keyring = ${folder}/keyring
[mon.a]
mon_data = ${folder}/mon
[osd.0]
osd_data = ${folder}/osd
osd_objectstore = memstore
memstore_device_bytes = ${storeBytes}
[client.gateway]
rgw_data = ${folder}/gateway
rgw_frontends = beast endpoint=127.0.0.1:${port}
`;
}

/** It exits when it asks the monitor before it knows its cluster. */
async function startStore(file: string): Promise<Bun.Subprocess> {
  const command = ["ceph-osd", "-c", file, "-f", "-i", "0"];
  let child = start(...command);
  while (!run("ceph", "-c", file, "osd", "stat").includes(" 1 up")) {
    if (child.exitCode !== null) child = start(...command);
    await Bun.sleep(200);
  }
  return child;
}

/** Runs a program until it exits, and returns its output. Throws when it fails. */
function run(...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { timeout: 60_000 });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stdout}${stderr}`);
  return stdout.toString();
}

/** Starts a program that ends with this process. */
function start(...command: string[]): Bun.Subprocess {
  return Bun.spawn(["setpriv", "--pdeathsig", "KILL", ...command], { stdio: ["ignore", "ignore", "ignore"] });
}
