import { expect, test } from "bun:test";
import { join } from "node:path";
import { describeApp } from "../../src/app.ts";
import { presentDocument } from "../../src/console/app/reference/document.ts";
import { temporaryFile } from "../support/world.ts";

const root = join(import.meta.dir, "../..");

type Parameter = { $ref?: string; required?: boolean; schema: Record<string, unknown> };
type ShownDocument = {
  info: { description: string };
  servers: { url: string }[];
  components: { parameters: Record<string, Parameter> };
  paths: Record<string, Record<string, { parameters?: Parameter[]; description?: string }>>;
};

async function present(): Promise<ShownDocument> {
  // Safe: the OpenAPI document, with the additions of the viewer.
  return presentDocument(await describeApp(), "https://crm.example") as unknown as ShownDocument;
}

/** The sample in a description. */
const sampleIn = (description = "") => /```ts\n([\s\S]*)\n```$/.exec(description)?.[1];

test("no optional parameter has a value, so that the first attempt of an operation sends no filter", async () => {
  const { components, paths } = await present();
  const parameters = [
    ...Object.values(components.parameters),
    ...Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ parameters = [] }) => parameters),
    ),
  ].filter(({ $ref, required }) => $ref === undefined && required !== true);
  expect(parameters.length).toBeGreaterThan(100);
  for (const { schema } of parameters)
    expect([schema.examples, schema.default, schema.additionalProperties]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
});

test("the samples and servers name the address of the page", async () => {
  const { servers, paths } = await present();
  expect(servers).toEqual([{ url: "https://crm.example" }]);
  const source = sampleIn(paths["/api/v1/accounts"]?.post?.description);
  expect(source).toContain('const server = "https://crm.example";');
});

test("the document itself stays as it is", async () => {
  const document = await describeApp();
  const before = structuredClone(document);
  presentDocument(document, "https://crm.example");
  expect(document).toEqual(before);
});

test("every operation of the API has a sample, and all of them compile with the typed client", async () => {
  const { paths } = await present();
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    path.startsWith("/api/") ? Object.values(item) : [],
  );
  const samples = operations.map((operation) => sampleIn(operation.description) ?? "");
  expect(samples.length).toBeGreaterThan(50);
  const client = join(root, "clients/typescript/src/client.ts");
  const [imports = ""] = samples;
  const source = samples.map((sample) => `{\n${sample.replace(/^import .*$/m, "")}\n}`);
  const file = temporaryFile("samples.ts");
  await Bun.write(
    file,
    [imports.replace('"accountd-client"', `"${client}"`).split("\n")[0], ...source].join("\n"),
  );
  const options = ["--ignoreConfig", "--noEmit", "--strict", "--target", "esnext", "--module", "preserve"];
  const more = [
    "--allowImportingTsExtensions",
    "--skipLibCheck",
    "--lib",
    "esnext,dom",
    "--types",
    "bun-types",
  ];
  const compiler = join(root, "node_modules/.bin/tsc");
  const { stdout, exitCode } = Bun.spawnSync(
    [compiler, ...options, ...more, "--typeRoots", "node_modules", file],
    {
      cwd: root,
    },
  );
  expect([stdout.toString(), exitCode]).toEqual(["", 0]);
}, 30_000);

test("a sample has the required members of its body, and the parameters of its path", async () => {
  const { paths } = await present();
  const callOf = (path: string, method: string) =>
    sampleIn(paths[path]?.[method]?.description)?.split("\n").slice(6).join("\n");
  expect(callOf("/api/v1/accounts/{accountId}/contacts", "post")).toBe(
    `const { data } = await client.POST("/api/v1/accounts/{accountId}/contacts", {
  params: { path: { accountId: 42 } },
  body: { name: "Ada Lovelace", email: "ada@example.com" },
});
console.log(data);`,
  );
  expect(callOf("/api/v1/accounts/{accountId}", "delete")).toBe(
    `await client.DELETE("/api/v1/accounts/{accountId}", { params: { path: { accountId: 42 } } });`,
  );
  expect(callOf("/api/v1/accounts.csv", "get")).toContain('{ parseAs: "text" }');
  expect(callOf("/v1/track", "post")).toBeUndefined();
});
