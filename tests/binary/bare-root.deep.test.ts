import { expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { folder } from "./binary.ts";
import { binary } from "./build.ts";

setDefaultTimeout(60_000);

/** `$1` is the root, `$2` the binary. The mounts are those of the namespace, which end with the script. */
const script = `
set -e
mkdir -p "$1/proc" "$1/dev" "$1/data"
for file in $(ldd "$2" | grep -o '/[^ ]*'); do mkdir -p "$1$(dirname $file)"; cp -L $file "$1$file"; done
cp "$2" "$1/accountd"
mount -t proc proc "$1/proc"
mknod -m 666 "$1/dev/null" c 1 3
export DATABASE_URL=/data/accountd.db
chroot "$1" /accountd version
export PORT=$3
chroot "$1" /accountd serve >/dev/null 2>&1 & server=$!
chroot "$1" /accountd health
kill -TERM $server
wait $server
echo "stopped $?"
`;

test.skipIf(process.getuid?.() !== 0)(
  "the binary runs in a root with libc, /proc and /dev/null only",
  async () => {
    const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const { port } = listener;
    listener.stop(true);
    const result =
      await $`unshare --mount --pid --fork bash -c ${script} bash ${folder()} ${await binary()} ${port}`
        .env({ PATH: Bun.env.PATH ?? "" })
        .quiet()
        .nothrow();
    expect(result.stdout.toString()).toMatch(/^\d+\.\d+\.\d+\S*\nok\nstopped 0\n$/);
  },
);
