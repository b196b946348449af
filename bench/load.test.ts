import { afterEach, expect, test } from "bun:test";
import { startLoad } from "./load.ts";
import { sample } from "./sample.ts";
import { replyOf, serve, stopServing } from "./test-server.ts";

afterEach(stopServing);

const job = { work: "get-beside-search", warmup: 0, seconds: 0.02 };

test("failures of all streams are counted, and the figures are those of the last one", async () => {
  let gets = 0;
  const port = serve((path, send) => {
    const isGet = /^\/api\/v1\/accounts\/\d+$/.test(path);
    if (isGet) gets++;
    send(replyOf(isGet ? 200 : 503));
  });
  const load = startLoad(sample);
  try {
    const { failed, answered } = await load.drive({ ...job, port });
    expect(Object.keys(failed)).toEqual(["503"]);
    expect(answered).toBe(gets);
    const rejected = load.drive({ ...job, port, work: "nothing" });
    await expect(rejected).rejects.toThrow("there is no work named nothing");
  } finally {
    load.end();
  }
});
