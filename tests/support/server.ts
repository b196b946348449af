import { binary } from "../binary/build.ts";
import { closeAfterTest } from "./cleanup.ts";

/** Runs a command and returns its output. */
export async function command(...words: string[]): Promise<string> {
  const process = await spawn(words);
  const output = await new Response(process.stdout).text();
  if ((await process.exited) !== 0) throw new Error(await new Response(process.stderr).text());
  return output.trim();
}

/** A new database file with one organization and a key, both created by the command line. */
export async function organization(file: string): Promise<string> {
  await command("organizations", "create", "First", "--database", file);
  return command("keys", "create", "--organization", "First", "--database", file);
}

/** A server in its own process with further options, and its URL. Uses a free port by default. */
export async function serve(file: string, port = "0", ...options: string[]) {
  const process = await spawn(["serve", "--port", port, "--database", file, ...options]);
  let output = "";
  const decoder = new TextDecoder();
  for await (const chunk of process.stdout) {
    output += decoder.decode(chunk, { stream: true });
    const [, url] = /^accountd \S+ serves (http:\S+)$/m.exec(output) ?? [];
    if (url !== undefined) return { process, url };
  }
  throw new Error(`the server did not start: ${await new Response(process.stderr).text()}`);
}

async function spawn(words: string[]) {
  const child = Bun.spawn([await binary(), ...words], { stdout: "pipe", stderr: "pipe" });
  closeAfterTest(() => {
    child.kill("SIGKILL");
    return child.exited;
  });
  return child;
}
