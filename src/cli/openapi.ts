import { describeApp } from "../app.ts";
import { type Command, expectArguments, print } from "./command.ts";

export const openapiCommand: Command = {
  name: "openapi",
  summary: "Prints the OpenAPI document.",
  usage: ["openapi"],
  options: {},
  async run({ words }) {
    expectArguments(words, 0);
    print(JSON.stringify(await describeApp(), null, 2));
  },
};
