import type { Contestant } from "./contestants.ts";

/** The contestant with webhooks that may be sent to this machine. */
export function withLoopback(contestant: Contestant): Contestant {
  const command: Contestant["command"] = (port, database) => {
    const { cmd, env } = contestant.command(port, database);
    return { cmd: [...cmd, "--webhooks-insecure"], env };
  };
  return { ...contestant, command };
}

/** A key with the scope `admin`, created next to the server. */
export async function createAdminKey(contestant: Contestant, database: string, id: number): Promise<string> {
  const [binary = ""] = contestant.command(0, database).cmd;
  const options = ["--organization", `Organization ${id}`, "--scope", "admin", "--database", database];
  return (await Bun.$`${binary} keys create ${options}`.text()).trim();
}

/** Creates webhooks that are not active. Throws if a request fails. */
export async function createWebhooks(port: number, key: string, endpoint: number, count: number) {
  const send = async (method: string, path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks${path}`, {
      method,
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} of a webhook failed: ${await response.text()}`);
    // Safe: a webhook.
    return (await response.json()) as { data: { id: number } };
  };
  const ids: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const { data } = await send("POST", "", { url: `http://127.0.0.1:${endpoint}/` });
    ids.push(data.id);
    await send("PATCH", `/${data.id}`, { active: false });
  }
  return {
    setActive: (active: boolean) => Promise.all(ids.map((id) => send("PATCH", `/${id}`, { active }))),
  };
}

/** Creates accounts one after another, at most at this rate. */
export function startWriter(port: number, key: string, writesPerSecond: number) {
  let isEnded = writesPerSecond === 0;
  const run = async () => {
    while (!isEnded) {
      await fetch(`http://127.0.0.1:${port}/api/v1/accounts`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: '{"name":"Newcomer","mrr":100}',
      });
      await Bun.sleep(1_000 / writesPerSecond);
    }
  };
  const running = run();
  return {
    async end() {
      isEnded = true;
      await running;
    },
  };
}
