import { expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { binary } from "../binary/build.ts";
import { temporaryFile } from "../support/world.ts";
import { newDatabase } from "./files.ts";

/** Whether this user may mount in a namespace of its own. */
const canMount = Bun.which("unshare") !== null && Bun.spawnSync(["unshare", "-m", "true"]).exitCode === 0;

/** Runs a script of sh in a mount namespace of its own, with the program as `accountd`. */
async function inNamespace(script: string, env: Record<string, string>) {
  const path = `${dirname(await binary())}:${Bun.env.PATH}`;
  const child = Bun.spawn(["unshare", "-m", "sh", "-c", script], {
    env: { PATH: path, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, stdout, stderr };
}

test.skipIf(!canMount)("a file that is a mount point is refused, and its mounted folder is not", async () => {
  const FILE = await newDatabase(["Acme"]);
  const MOUNTED = temporaryFile("a b.db");
  const script =
    'touch "$MOUNTED"; mount --bind "$FILE" "$MOUNTED"; accountd organizations list --database "$MOUNTED"';
  expect(await inNamespace(script, { FILE, MOUNTED })).toEqual({
    code: 1,
    stdout: "",
    stderr: `${MOUNTED} is a mount point. Its lock and its WAL are next to it, outside the mount. Mount its folder.\n`,
  });
  const folder = { FROM: dirname(FILE), TO: dirname(MOUNTED) };
  const list = 'mount --bind "$FROM" "$TO"; accountd organizations list --database "$TO/accountd.db"';
  expect((await inNamespace(list, folder)).stdout).toContain("Acme");
});

test.skipIf(!canMount)(
  "check, export, lists and copy read a closed database on a read-only medium",
  async () => {
    const FILE = await newDatabase(["Acme"]);
    const script = `set -e
mount --bind "$FOLDER" "$FOLDER"; mount -o remount,ro,bind "$FOLDER"
accountd check --database "$FILE"
accountd export --organization Acme --database "$FILE"
accountd organizations list --database "$FILE" | tail -1 | cut -c 1-7
accountd copy --from "$FILE" --to "$COPY" 2>/dev/null | sed 's/.*: //'
ls "$FOLDER"`;
    const { code, stdout, stderr } = await inNamespace(script, {
      FILE,
      FOLDER: dirname(FILE),
      COPY: temporaryFile("copy.db"),
    });
    const [checked, header, ...rest] = stdout.split("\n");
    expect({ code, stderr, checked, header: header?.slice(0, 3), rest }).toEqual({
      code: 0,
      stderr: "",
      checked: `${FILE} is sound.`,
      header: "id,",
      rest: [
        "1   Acm",
        expect.stringMatching(/^\d+ rows, compared by count and hash\.$/),
        "accountd.db",
        "accountd.db.lock",
        "",
      ],
    });
  },
);

test.skipIf(!canMount)("a read without a lock fails when the file was changed meanwhile", async () => {
  const FILE = await newDatabase(["Acme"]);
  const MOUNT = temporaryFile("");
  const ENGINE = join(import.meta.dir, "../../db/sqlite/engine.ts");
  const program = `
    const { openReader } = await import(process.env.ENGINE);
    const reader = openReader(process.env.MOUNT + "/accountd.db", { clock: Date.now });
    await Bun.$\`touch "$FILE"\`;
    try { await reader.close() } catch (error) { console.log(error.message) }`;
  const script = 'mount --bind "$FOLDER" "$MOUNT"; mount -o remount,ro,bind "$MOUNT"; "$BUN" -e "$PROGRAM"';
  const env = { FILE, MOUNT, ENGINE, FOLDER: dirname(FILE), BUN: process.execPath, PROGRAM: program };
  expect((await inNamespace(script, env)).stdout).toBe(
    `${MOUNT}/accountd.db was changed while it was read without a lock, because its folder is read-only. Read it again.\n`,
  );
});
