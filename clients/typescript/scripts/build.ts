import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./package.ts";
import { resourcesFile } from "./resources.ts";
import { generate, schemaFile } from "./schema.ts";

const folder = join(import.meta.dir, "../dist");
const { schema, resources } = await generate();
await Bun.write(schemaFile, schema);
await Bun.write(resourcesFile, resources);
rmSync(folder, { recursive: true, force: true });
console.info(`${folder}/client.js: ${await buildPackage(folder)} bytes`);
