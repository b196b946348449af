import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
import { pluginZod } from "@kubb/plugin-zod";

// biome-ignore lint/style/noDefaultExport: the contract of kubb.
export default defineConfig({
  input: { path: "./openapi.json" },
  output: { path: "./out/kubb", format: false, lint: false },
  plugins: [
    pluginOas(),
    pluginTs(),
    pluginZod(),
    pluginClient({ importPath: "../../../kubb-client.ts", parser: "zod" }),
  ],
});
