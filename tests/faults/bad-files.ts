import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { folder } from "../binary/binary.ts";
import { isOneLine } from "../binary/service.ts";
import { closeAfterTest } from "../support/cleanup.ts";
import type { Program, Proof, Scale } from "../support/proof.ts";
import { withTimeLimit } from "../support/time-limit.ts";
import { foreignIsAccepted, newerIsAccepted, withoutQuickCheck } from "./controls/bad-files.ts";
import { damagePage, makeNewer, makeOriginals, type Originals } from "./damage.ts";

/** Creates an invalid file at this path. */
type Bad = { name: string; make: (file: string) => void };

const lengths = 200;
const damages = 400;
/** The maximum milliseconds until the file is rejected. */
const patience = 15_000;
const together = 2;

export const badFiles: Proof = {
  name: "bad-files",
  claim: "A file that is truncated, foreign, too new or damaged is rejected in one line and not changed",
  run: tryAll,
  controls: [withoutQuickCheck, newerIsAccepted, foreignIsAccepted],
};

async function tryAll(program: Program, scale: Scale, print: (line: string) => void) {
  const originals = await makeOriginals(folder());
  const kinds = {
    "foreign files": foreign(originals),
    "newer files": newer(originals),
    "files cut off": cutOff(originals, scale),
    "files with a damaged page": damaged(originals, scale),
  };
  const tried: Record<string, number> = {};
  const faults: string[] = [];
  for (const [kind, files] of Object.entries(kinds)) {
    const waiting = [...files];
    const tryOneByOne = async () => {
      for (let bad = waiting.shift(); bad; bad = waiting.shift()) {
        faults.push(...(await serveIt(program, bad)).map((fault) => `${bad?.name}: ${fault}`));
        tried[kind] = (tried[kind] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: together }, tryOneByOne));
    print(`${tried[kind]} ${kind}; ${faults.length} faults in all`);
  }
  return { tried, faults };
}

function foreign({ otherDatabase }: Originals): Bad[] {
  return [
    { name: "an empty file", make: (file) => writeFileSync(file, "") },
    { name: "a text", make: (file) => writeFileSync(file, "a letter, and no database\n".repeat(400)) },
    { name: "another program's database", make: (file) => copyFileSync(otherDatabase, file) },
  ];
}

function newer({ clean, unclean }: Originals): Bad[] {
  return [
    {
      name: "a newer database",
      make: (file) => {
        copyFileSync(clean, file);
        makeNewer(file);
      },
    },
    {
      name: "a newer database after an unclean end",
      make: (file) => {
        for (const suffix of ["", "-wal"]) copyFileSync(unclean + suffix, `${file}.before${suffix}`);
        makeNewer(`${file}.before`, (suffix) => copyFileSync(`${file}.before${suffix}`, file + suffix));
      },
    },
  ];
}

function cutOff({ clean, size, pageSize }: Originals, scale: Scale): Bad[] {
  const page = pageSize;
  const some = [1, page, Math.floor(size / 2), size - page, size - 1];
  const pages = Array.from({ length: size / page - 1 }, (_, i) => (i + 1) * page);
  const more = Array.from({ length: lengths }, () => 1 + Math.floor(Math.random() * (size - 1)));
  return [...some, ...(scale === "long" ? [...pages, ...more] : [])].map((length) => ({
    name: `the first ${length} bytes of ${size}`,
    make: (file) => {
      copyFileSync(clean, file);
      truncateSync(file, length);
    },
  }));
}

function damaged({ unclean, pagesToDamage }: Originals, scale: Scale): Bad[] {
  const count = scale === "long" ? damages : 4;
  return Array.from({ length: count }, (_, i) => {
    const page = pagesToDamage[Math.floor(Math.random() * pagesToDamage.length)] ?? 0;
    const kind = (["noise", "zeros", "shifted"] as const)[i % 3] ?? "noise";
    return {
      name: `page ${page} is ${kind}, after an unclean end`,
      make: (file) => {
        for (const suffix of ["", "-wal"]) copyFileSync(unclean + suffix, file + suffix);
        damagePage(file, page, kind);
      },
    };
  });
}

/** Serves the file with the program, and returns the faults of the rejection. */
async function serveIt(program: Program, { make }: Bad): Promise<string[]> {
  const cwd = folder();
  const file = join(cwd, "accountd.db");
  make(file);
  const before = hashOf(file);
  const namesBefore = namesIn(cwd);
  const child = Bun.spawn([...program, "serve", "--port", "0", "--database", file], {
    cwd,
    env: { PATH: Bun.env.PATH ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const end = () => {
    child.kill("SIGKILL");
    return child.exited;
  };
  closeAfterTest(end);
  const said = new Response(child.stderr).text();
  const faults: string[] = [];
  const first = Promise.race([
    child.exited.then(() => "it ended"),
    child.stdout
      .getReader()
      .read()
      .then(({ value }) => (value === undefined ? child.exited.then(() => "it ended") : "it is served")),
  ]);
  const served = await withTimeLimit(patience, first, `it is not refused within ${patience} ms`);
  if (served !== "it ended") faults.push(served);
  const code = served === "it ended" ? child.exitCode : await end();
  const error = await said;
  if (code === 0) faults.push("the exit code is 0");
  if (faults.length === 0 && !isOneLine(error))
    faults.push(`it does not print the reason in one line: ${error}`);
  if (served === "it ended" && hashOf(file) !== before) faults.push("the file was changed");
  const names = namesIn(cwd);
  if (served === "it ended" && names !== namesBefore) faults.push(`${names} are left of ${namesBefore}`);
  rmSync(cwd, { recursive: true, force: true });
  return faults;
}

/** The files without the WAL index, which a read creates. */
function namesIn(folder: string): string {
  return readdirSync(folder)
    .filter((name) => !name.endsWith("-shm"))
    .sort()
    .join();
}

/** The hash of the file and of its WAL. */
function hashOf(file: string): string {
  const hash = createHash("sha256");
  for (const name of [file, `${file}-wal`]) hash.update(existsSync(name) ? readFileSync(name) : "");
  return hash.digest("hex");
}
