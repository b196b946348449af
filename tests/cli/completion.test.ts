import { expect, test } from "bun:test";
import { allOptions, isGroup } from "../../src/cli/arguments.ts";
import { commonOptions } from "../../src/cli/command.ts";
import { entries } from "../../src/cli/commands.ts";
import { bashCompletion } from "../../src/cli/completion/bash.ts";
import { fishCompletion } from "../../src/cli/completion/fish.ts";
import { zshCompletion } from "../../src/cli/completion/zsh.ts";
import { manualPage } from "../../src/cli/man.ts";
import { serverOptions } from "../../src/cli/serve.ts";
import { temporaryFile } from "../support/world.ts";

const commands = entries.flatMap((entry) => (isGroup(entry) ? entry.commands : [entry]));
const names = entries.map(({ name }) => name);

/** Runs a program with a script as standard input; returns the lines that it prints. */
async function linesOf(program: string[], script: string): Promise<string[]> {
  const child = Bun.spawn(program, { stdin: Buffer.from(script), stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(errors).toBe("");
  return output.split("\n").filter(Boolean);
}

/** What each shell offers after a command line, whose last word may be empty. */
const shells: Record<string, (line: string) => Promise<string[]>> = {
  bash(line) {
    // Readline separates = from the words.
    const words = line.split(/ |(?==)|(?<==)/).map((word) => `'${word}'`);
    const call = `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _accountd; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf(["bash", "--norc"], `${bashCompletion(entries)}\n${call}\n`);
  },
  zsh(line) {
    const words = line.split(" ").map((word) => `'${word}'`);
    const standIns = `
      compdef() { true }
      compadd() { print -l -- $@ }
      _files() { true }
      _describe() { local entry; for entry in \${(P)2}; do [[ \${entry%%:*} == $PREFIX* ]] && print -- \${entry%%:*}; done; true }`;
    const call = `words=(${words.join(" ")}); CURRENT=$#words; PREFIX=$words[-1]; _accountd`;
    return linesOf(["zsh", "-f"], `${standIns}\n${zshCompletion(entries)}\n${call}\n`);
  },
  async fish(line) {
    const file = temporaryFile("accountd.fish");
    await Bun.write(file, fishCompletion(entries));
    const lines = await linesOf(["fish", "--no-config"], `source ${file}; complete -C '${line}'\n`);
    return lines.map((offered) => offered.split("\t")[0] ?? "");
  },
};

const cases: [string, string[]][] = [
  ["accountd k", ["keys"]],
  ["accountd keys ", ["create", "list", "rename", "revoke"]],
  ["accountd --json keys re", ["rename", "revoke"]],
  ["accountd keys create --sc", ["--scope"]],
  ["accountd --database x.db keys create --na", ["--name"]],
  ["accountd organizations set acme --traits ", ["off", "on"]],
  ["accountd completion ", ["bash", "fish", "zsh"]],
  ["accountd serve --por", ["--port"]],
];

for (const [shell, offered] of Object.entries(shells)) {
  test.skipIf(!Bun.which(shell)).each(cases)(`${shell} completes %j with %j`, async (line, expected) => {
    expect((await offered(line)).toSorted()).toEqual(expected);
  });

  test.skipIf(!Bun.which(shell))(`${shell} completes every command, and every option of serve`, async () => {
    expect((await offered("accountd ")).toSorted()).toEqual([...names, "help"].toSorted());
    const options = Object.keys({ ...serverOptions, ...commonOptions }).map((name) => `--${name}`);
    expect((await offered("accountd serve --")).toSorted()).toEqual(options.toSorted());
  });
}

test("the manual page has every command and every option, and no line of it is a request by chance", () => {
  const page = manualPage(entries);
  const text = page.replaceAll("\\-", "-");
  for (const { name } of commands) expect(text).toContain(`.SS accountd ${name}`);
  for (const name of Object.keys(allOptions(commands))) expect(text).toContain(`\n.B --${name}`);
  const requests = [...page.matchAll(/^[.'](\w+)/gm)].map(([, request]) => request);
  expect([...new Set(requests)].toSorted()).toEqual(["B", "I", "PP", "SH", "SS", "TH", "TP", "fi", "nf"]);
});

test.skipIf(!Bun.which("mandoc"))("mandoc finds no error in the manual page", async () => {
  expect(await linesOf(["mandoc", "-T", "lint", "-W", "error"], manualPage(entries))).toEqual([]);
});
