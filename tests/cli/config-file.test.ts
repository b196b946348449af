import { expect, test } from "bun:test";
import { binary } from "../binary/build.ts";
import { command } from "../support/server.ts";
import { temporaryFile } from "../support/world.ts";

async function fileOf(text: string): Promise<string> {
  const path = temporaryFile("accountd.toml");
  await Bun.write(path, text);
  return path;
}

/** The rows of `accountd config`, by the name of the setting. */
async function configOf(args: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([await binary(), "config", "--json", ...args], {
    env: { PATH: Bun.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw JSON.parse(errors).error;
  // Safe: the command prints an array of such rows.
  const rows = JSON.parse(output) as { name: string; value: string; origin: string }[];
  return new Map(rows.map(({ name, value, origin }) => [name, [value, origin]]));
}

test("a flag wins over a variable, a variable over the file, the file over the default, and config prints the origins", async () => {
  const path = await fileOf(`
database = "postgres://accountd:hunter2@127.0.0.1:1/accounts?password=hunter3"
port = 8080
host = "0.0.0.0"
keep-alive = 60
trusted-proxies = ["127.0.0.1", "10.0.0.0/8"]
console-logos = false
log-requests = true
database-prepare = false
`);
  const env = { HOST: "127.0.0.2", PORT: "", CONSOLE: "/dev/console" };
  const config = await configOf(["--config", path, "--keep-alive", "30"], env);
  expect(Object.fromEntries(config)).toMatchObject({
    database: [expect.not.stringMatching(/hunter|accountd:/), path],
    port: ["8080", path],
    host: ["127.0.0.2", "HOST"],
    "keep-alive": ["30", "--keep-alive"],
    "trusted-proxies": ["127.0.0.1,10.0.0.0/8", path],
    "console-logos": ["off", path],
    console: ["on", "default"],
    "log-requests": ["true", path],
    "database-prepare": ["false", path],
    "event-days": ["35", "default"],
  });
});

test("every command reads the settings of the file", async () => {
  const database = temporaryFile("accountd.db");
  const path = await fileOf(`database = "${database}"`);
  expect(await command("organizations", "create", "Acme", "--config", path)).toBe("Organization 1 is Acme.");
  expect(await command("--config", path, "check")).toBe(`${database} is sound.`);
});

test.each([
  ["prot = 1", "has an unknown setting: prot. Did you mean port?"],
  ["port = 99999", "must be a number from 0 to 65535."],
  ["[serve]\nport = 1", "has an unknown setting: serve."],
  ["cors-origin = [1]", "must be a text, a number, true, false, or a list of texts."],
  ["database = postgres://u:hunter2@h/d", "is not valid TOML. Strings must be quoted."],
  ['database = "hunter2\nx', "is not valid TOML."],
])("the file %j is refused, and a value is not repeated", async (text, message) => {
  const path = await fileOf(text);
  const error = await configOf(["--config", path]).catch((error) => error);
  expect(error).toEqual({ code: "invalid_setting", message: expect.stringContaining(message) });
  expect(error.message).toContain(path);
  expect(error.message).not.toContain("hunter2");
});

test("a file that cannot be read is named", async () => {
  const path = `${temporaryFile("absent")}.toml`;
  const message = `${path} of --config cannot be read.`;
  const error = await configOf(["--config", path]).catch((error) => error);
  expect(error).toEqual({ code: "unreadable_file", message });
});
