import { expect, test } from "bun:test";
import { startFollower } from "./follower-process.ts";

test("a reader counts the events of its streams, and opens a stream again that was closed", async () => {
  const requests: string[] = [];
  const controllers: ReadableStreamDefaultController<string>[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      requests.push(`${new URL(request.url).pathname} ${request.headers.get("x-api-key")}`);
      const start = (controller: ReadableStreamDefaultController<string>) => {
        controllers.push(controller);
        controller.enqueue(": begin\n\n");
      };
      return new Response(new ReadableStream({ start }));
    },
  });
  const reader = await startFollower("read", String(server.port), "key", "2");
  try {
    for (const [i, controller] of controllers.entries())
      for (let id = 0; id <= i; id += 1) controller.enqueue(`\nid: ${id}\ndata: {}\n\n`);
    while ((await reader.count()).changes < 3) await Bun.sleep(5);
    controllers[0]?.close();
    while ((await reader.count()).closed < 1 || requests.length < 3) await Bun.sleep(5);
    expect(await reader.count()).toMatchObject({ changes: 3, closed: 1 });
    expect(requests).toEqual(Array(3).fill("/api/v1/changes/stream key"));
  } finally {
    await reader.end();
    await server.stop(true);
  }
});

test("an endpoint counts the requests that it receives", async () => {
  const endpoint = await startFollower("receive");
  try {
    for (const body of ["{}", "{}"])
      expect((await fetch(`http://127.0.0.1:${endpoint.port}/`, { method: "POST", body })).status).toBe(204);
    const { changes, milliseconds } = await endpoint.count();
    expect([changes, milliseconds > 0]).toEqual([2, true]);
  } finally {
    await endpoint.end();
  }
});
