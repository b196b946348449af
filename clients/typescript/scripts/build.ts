import { rmSync } from "node:fs";
import { join } from "node:path";
import { buildPackage } from "./package.ts";
import { generateSchema, schemaFile } from "./schema.ts";

const folder = join(import.meta.dir, "../dist");
await Bun.write(schemaFile, await generateSchema());
rmSync(folder, { recursive: true, force: true });
console.info(`${folder}/client.js: ${await buildPackage(folder)} bytes`);
