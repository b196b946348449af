import { runDueJobs } from "../../src/jobs/scheduler.ts";
import type { Body } from "../support/world.ts";
import { attributeWorld, type resources } from "./attribute-world.ts";

export async function declaringWorld(resource: (typeof resources)[number]) {
  const here = await attributeWorld(resource);
  const path = (name: string) => `/api/v1/attributes/${name}?resource=${resource.resource}`;
  const listed = async (name: string): Promise<Body> =>
    (await here.send("GET", `/api/v1/attributes?resource=${resource.resource}`)).find(
      (one: Body) => one.name === name,
    );
  return {
    ...here,
    path,
    listed,
    declare: (name: string, body: Body, options = {}) => here.call("PUT", path(name), body, options),
    ids: async (query: string): Promise<number[]> =>
      (await here.send("GET", `${resource.rows}?${query}`)).map(({ id }: Body) => id),
    runJobs: () => runDueJobs(here),
  };
}
export const conflict = (detail: string) => ({
  status: 409,
  body: {
    code: "attribute_values_conflict",
    errors: [{ pointer: "/type", code: "attribute_type_conflict", detail }],
  },
});
export const others = (count: number, ...examples: string[]) => {
  const shown = examples.length === 0 ? "" : `, such as ${examples.map((text) => `"${text}"`).join(", ")}`;
  return conflict(`must fit all stored values; number of others: ${count}${shown}`);
};
