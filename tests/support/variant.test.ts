import { afterEach, expect, test } from "bun:test";
import { endAll, output, start } from "../binary/binary.ts";
import { buildVariant, type Replacements } from "./variant.ts";
import { withDoubleLog, withoutLog } from "./variant-examples.ts";

afterEach(endAll);

test.each([
  [withoutLog.name, withoutLog, 0],
  [withDoubleLog.name, withDoubleLog, 2],
])("a variant is the program with a replaced export: %s", async (_, variant, lineCount) => {
  const program = await buildVariant(variant);
  expect(await output(["version"], { program })).toBe(await output(["version"]));
  const server = await start(["serve", "--port", "0", "--log-requests"], { program });
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(server.stderr().match(/"event":"request"/g)?.length ?? 0).toBe(lineCount);
});

test("a replacement must have the name and the type of the export", () => {
  const replacements: Replacements[] = [
    // @ts-expect-error: no such module
    { "src/server/no-log.ts": {} },
    // @ts-expect-error: no such export
    { "src/server/access-log.ts": { withLog: () => () => {} } },
    // @ts-expect-error: another type
    { "src/server/access-log.ts": { withAccessLog: () => () => 1 } },
  ];
  expect(replacements).toHaveLength(3);
});
