import type { BodyContext } from "../../../src/http/body/body.ts";
import type { Variant } from "../../support/variant.ts";

let last: Promise<unknown> = Promise.resolve();

function oneAtATime<T>(parse: (context: BodyContext) => Promise<T>) {
  return (context: BodyContext): Promise<T> => {
    const next = last.then(() => parse(context));
    last = next.catch(() => {});
    return next;
  };
}

export const serialBodies: Variant = {
  name: "bodies are read one after another",
  source: import.meta.path,
  replace: {
    "src/http/body/body.ts": { strictJson: (original) => (shape) => oneAtATime(original.strictJson(shape)) },
  },
};
