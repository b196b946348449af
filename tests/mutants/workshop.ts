import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./sources.ts";

/** The outcome of a run: all tests passed, one failed, or the time limit was exceeded. */
export type RunOutcome = "passed" | "failed" | "endless";

/** A mutation may leave something unused. */
const unusedAllowed = { noUnusedLocals: false, noUnusedParameters: false };

/** A copy of the repository in which sources are changed and tests run. */
export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), "accountd-mutants-"));
  readonly #copy = join(this.#folder, "copy");
  readonly #temporary = join(this.#folder, "tmp");
  #group: number | undefined;

  constructor() {
    mkdirSync(this.#copy);
    const parts = [
      "src",
      "db",
      "tests",
      "deploy",
      "docs",
      "package.json",
      "tsconfig.json",
      "bunfig.toml",
      "README.md",
    ];
    for (const part of parts) cpSync(join(root, part), join(this.#copy, part), { recursive: true });
    const checked = { extends: "./tsconfig.json", include: ["src", "db"], compilerOptions: unusedAllowed };
    writeFileSync(join(this.#copy, "checked.json"), JSON.stringify(checked));
    symlinkSync(join(root, "node_modules"), join(this.#copy, "node_modules"));
  }

  /** Runs `work` while the source at `path` has this text. */
  async with<T>(path: string, text: string, work: () => Promise<T>): Promise<T> {
    const file = join(this.#copy, path);
    const before = readFileSync(file, "utf8");
    writeFileSync(file, text);
    try {
      return await work();
    } finally {
      writeFileSync(file, before);
    }
  }

  /** Runs tests until the first failure or the time limit. */
  test(names: readonly string[], seconds: number): Promise<RunOutcome> {
    const files = names.map((name) => `./tests/${name}.test.ts`);
    return this.#run(["test", "--bail", "--timeout", "20000", ...files], seconds);
  }

  /** Whether the type checker accepts the sources. */
  async hasSoundTypes(): Promise<boolean> {
    return (await this.#run(["x", "tsc", "--noEmit", "--project", "checked.json"], 120)) === "passed";
  }

  /** Kills the running tests and removes the copy. */
  close(): void {
    this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #run(words: string[], seconds: number): Promise<RunOutcome> {
    // Removes the files of a test that was killed.
    rmSync(this.#temporary, { recursive: true, force: true });
    mkdirSync(this.#temporary);
    const child = Bun.spawn([process.execPath, ...words], {
      cwd: this.#copy,
      env: { ...process.env, TMPDIR: this.#temporary },
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
    // A process group of its own, so that processes of the tests are killed with them.
    this.#group = child.pid;
    let endless = false;
    const limit = setTimeout(() => {
      endless = true;
      this.#end();
    }, seconds * 1000);
    const code = await child.exited;
    clearTimeout(limit);
    this.#end();
    if (endless) return "endless";
    return code === 0 ? "passed" : "failed";
  }

  #end(): void {
    if (this.#group === undefined) return;
    try {
      process.kill(-this.#group, "SIGKILL");
    } catch {
      // The process group has exited.
    }
    this.#group = undefined;
  }
}

/** Throws when a test of the table does not exist. */
export function checkTests(names: readonly string[]): void {
  const missing = names.filter((name) => !existsSync(join(root, `tests/${name}.test.ts`)));
  if (missing.length > 0) throw new Error(`no such tests: ${missing.join(", ")}`);
}
