import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";

const root = join(import.meta.dir, "../..");

test("each file that the Dockerfile copies from the repository exists", async () => {
  const text = await Bun.file(join(root, "Dockerfile")).text();
  const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) =>
    (files ?? "").split(" "),
  );
  expect(copied).toContain("src");
  expect(copied.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("compose.yaml parses, and each service that a service depends on is defined", async () => {
  type Service = { depends_on?: string[] | Record<string, unknown>; build?: string; image?: string };
  const file = await Bun.file(join(root, "deploy/compose.yaml")).text();
  const { services } = YAML.parse(file) as { services: Record<string, Service> };
  const used = Object.values(services).flatMap(({ depends_on: names = [] }) =>
    Array.isArray(names) ? names : Object.keys(names),
  );
  expect(used).toContain("migrate");
  expect(used.filter((name) => !(name in services))).toEqual([]);
  const unbuilt = Object.entries(services).filter(([, { build, image }]) => !(build ?? image));
  expect(unbuilt).toEqual([]);
});
