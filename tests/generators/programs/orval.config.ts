const input = "./openapi.json";

// biome-ignore lint/style/noDefaultExport: the contract of orval.
export default {
  client: { input, output: { target: "./out/orval/client.ts", client: "fetch" } },
  zod: {
    input,
    output: { target: "./out/orval/zod.ts", client: "zod", override: { zod: { version: 3 } } },
  },
};
