import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { closeAfterTest } from "../support/cleanup.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryFile } from "../support/world.ts";

const examples = join(import.meta.dir, "../../docs/examples");

/** The receivers of docs/examples, and the programs that run them. */
export const receivers = [
  { name: "receiver.ts", program: process.execPath },
  { name: "receiver.py", program: "python3" },
] as const;
type Example = (typeof receivers)[number];

/** What a receiver stored of a row. */
type StoredRow = { name: string; sequence: number; accountId: number | null; fields: string | null };

/** Starts a receiver on a free port. `secret` is of the webhook. */
export async function startReceiver({ name, program }: Example, secret: string, port?: number) {
  const file = temporaryFile("receiver.db");
  const listensOn = port ?? (await freePort());
  const url = `http://127.0.0.1:${listensOn}/`;
  const env = { PATH: Bun.env.PATH ?? "", WEBHOOK_SECRET: secret, PORT: String(listensOn), DATABASE: file };
  const start = async () => {
    const child = Bun.spawn([program, join(examples, name)], { env, stdout: "ignore", stderr: "ignore" });
    closeAfterTest(() => end(child));
    while (!(await fetch(url, { method: "POST" }).catch(() => undefined))) {
      if (child.exitCode !== null) throw new Error(`${name} ended with the status ${child.exitCode}`);
      await Bun.sleep(20);
    }
    return child;
  };
  let running = await start();
  /** Sends a body with headers of Standard Webhooks, and returns the status of the response. */
  const post = async (headers: Record<string, string>, body: string) =>
    (await fetch(url, { method: "POST", headers, body })).status;
  return {
    url,
    post,
    /** Sends a change signed by the reference implementation. */
    send(change: object, { id, time = new Date(), key = secret }: { id: string; time?: Date; key?: string }) {
      const body = JSON.stringify(change);
      return post(signedHeaders(id, time, body, key), body);
    },
    end: () => end(running),
    async restart() {
      await end(running);
      running = await start();
    },
    rows: () => query<StoredRow>(file, "SELECT name, sequence, accountId, fields FROM rows ORDER BY name"),
    ids: () => query<{ id: string }>(file, "SELECT id FROM deliveries ORDER BY id").map(({ id }) => id),
  };
}

export function signedHeaders(id: string, time: Date, body: string, ...secrets: string[]) {
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(" "),
  };
}

function query<T>(file: string, sql: string): T[] {
  const database = new Database(file, { readonly: true });
  try {
    // The receiver may be writing.
    database.run("PRAGMA busy_timeout = 5000");
    return database.query<T, []>(sql).all();
  } finally {
    database.close();
  }
}

async function end(child: Bun.Subprocess): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
}
