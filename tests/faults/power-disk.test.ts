import { expect, test } from "bun:test";
import { Random } from "../support/random.ts";
import { Disk } from "./power-disk.ts";
import { losses } from "./power-losses.ts";
import type { Step } from "./power-trace.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const make = (path: string): Step => ({ does: "make", path, isFolder: false });
const write = (path: string, text: string, offset = 0): Step => ({
  does: "write",
  path,
  offset,
  data: bytes(text),
});
const sync = (path: string): Step => ({ does: "sync", path });

function diskAfter(...steps: Step[]): Disk {
  const disk = new Disk("/d");
  for (const step of steps) disk.do(step);
  return disk;
}

/** The possible contents of the disk after this kind of loss, as texts, from many trials. */
function leftBy(disk: Disk, way: string): Set<string> {
  const left = new Set<string>();
  for (let seed = 0; seed < 200; seed += 1) {
    const loss = losses[way]?.(new Random(seed), disk.unsynced());
    if (!loss) throw new Error(`there is no way ${way}`);
    const files = [...disk.after(loss)].map(([name, data]) => `${name}=${new TextDecoder().decode(data)}`);
    left.add(files.sort().join(" "));
  }
  return left;
}

const ways = Object.keys(losses);

test.each(ways)("what is synced, file and folder, stays: %s", (way) => {
  const disk = diskAfter(make("/d/a"), write("/d/a", "1"), sync("/d/a"), sync("/d"));
  expect(leftBy(disk, way)).toEqual(new Set(["a=1"]));
});

test("a file is lost with its name, though it is synced, and a folder with what is in it", () => {
  const folder: Step = { does: "make", path: "/d/f", isFolder: true };
  const disk = diskAfter(folder, make("/d/f/a"), write("/d/f/a", "1"), sync("/d/f/a"), sync("/d/f"));
  expect(leftBy(disk, "nothing kept")).toEqual(new Set([""]));
  expect(leftBy(disk, "all kept")).toEqual(new Set(["f/a=1"]));
});

test("of two writes either, both or none may be left, and in the order of writing none but the first alone", () => {
  const disk = diskAfter(make("/d/a"), sync("/d"), write("/d/a", "1"), write("/d/a", "2", 1));
  const all = ["a=", "a=1", "a=12", "a=\x002"];
  expect(leftBy(disk, "some kept")).toEqual(new Set(all));
  expect(leftBy(disk, "kept up to a moment")).toEqual(new Set(all.slice(0, 3)));
  expect(leftBy(disk, "names and sizes kept")).toEqual(new Set(["a=\0\0", "a=1\0", "a=12", "a=\x002"]));
});

test("a write is cut where sectors end, and nowhere else", () => {
  const [first, second] = ["1".repeat(512 - 100), "2".repeat(512)];
  const disk = diskAfter(make("/d/a"), sync("/d"), write("/d/a", first + second, 100));
  const none = "\0".repeat(100);
  expect(leftBy(disk, "sectors kept")).toEqual(
    new Set(["a=", `a=${none}${first}`, `a=${none}${first}${second}`, `a=${"\0".repeat(512)}${second}`]),
  );
});

test("what a rename or a removal was not synced of is as it was, or as it is to be", () => {
  const disk = diskAfter(make("/d/a"), write("/d/a", "1"), sync("/d/a"), make("/d/b"), sync("/d"));
  disk.do({ does: "remove", path: "/d/b" });
  disk.do({ does: "rename", path: "/d/a", to: "/d/c" });
  expect(leftBy(disk, "some kept")).toEqual(new Set(["a=1 b=", "a=1", "b= c=1", "c=1"]));
  disk.do(sync("/d"));
  expect(leftBy(disk, "nothing kept")).toEqual(new Set(["c=1"]));
});
