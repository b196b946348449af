import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runPostman } from "./postman.ts";
import { runPrism } from "./prism.ts";
import { documentFile, execute, type Workspace } from "./workspace.ts";

/** A generator or another reader of the document. `run` throws when it does not work, and may return what it saw. */
type Tool = { name: string; packages: string[]; run(workspace: Workspace): Promise<string> };

/** Generates a client by a command, compiles the program of the same name, and runs it. */
function client(name: string, packages: string[], ...generate: string[]): Tool {
  const program = `${name}.ts`;
  return {
    name,
    packages,
    async run(workspace) {
      mkdirSync(join(workspace.folder, "out"), { recursive: true });
      await execute(workspace, generate);
      const project = `${name}.tsconfig.json`;
      const config = { extends: "./tsconfig.json", files: [program] };
      writeFileSync(join(workspace.folder, project), JSON.stringify(config));
      await execute(workspace, ["tsc", "-p", project]);
      return execute(workspace, [program]);
    },
  };
}

/** The problem is the reply of a failure. */
const types = '["application/json", "application/problem+json", "application/jsonl"].includes(mediaType)';
const zodClient = "out/openapi-zod-client.ts";
const mcp = ["-i", documentFile, "-o", "out/mcp", "--base-url", "http://127.0.0.1:3000"];

export const tools: Tool[] = [
  client(
    "hey-api",
    ["@hey-api/openapi-ts"],
    ...["openapi-ts", "-i", documentFile, "-o", "out/hey-api", "--no-log-file"],
  ),
  client("orval", ["orval", "zod"], "orval", "--config", "orval.config.ts"),
  client(
    "openapi-typescript",
    ["openapi-typescript", "openapi-fetch"],
    ...["openapi-typescript", documentFile, "-o", "out/openapi-typescript.ts"],
  ),
  client("kubb", ["@kubb/cli", "zod"], "kubb", "generate", "--config", "kubb.config.ts"),
  client("oazapfts", ["oazapfts", "@oazapfts/runtime"], "oazapfts", documentFile, "out/oazapfts.ts"),
  client(
    "openapi-zod-client",
    ["openapi-zod-client", "@zodios/core", "zod"],
    ...["openapi-zod-client", documentFile, "-o", zodClient, "--media-type-expr", types],
  ),
  client(
    "swagger-typescript-api",
    ["swagger-typescript-api"],
    ...["swagger-typescript-api", "generate", "-p", documentFile, "-o", "out"],
    ...["--name", "swagger-typescript-api.ts", "--generate-union-enums"],
  ),
  client("mcp", ["openapi-mcp-generator", "@modelcontextprotocol/sdk"], "openapi-mcp-generator", ...mcp),
  { name: "postman", packages: ["openapi-to-postmanv2", "newman"], run: runPostman },
  { name: "prism", packages: ["@stoplight/prism-cli"], run: runPrism },
];
