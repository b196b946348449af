import type { Command } from "./command.ts";
import { print } from "./output.ts";

export const openapiCommand: Command = {
  name: "openapi",
  summary: "Print the OpenAPI document.",
  usage: "",
  options: {},
  examples: ["openapi > openapi.json"],
  async run() {
    const { describeApp } = await import("../app.ts");
    print(JSON.stringify(await describeApp(), null, 2));
  },
};
