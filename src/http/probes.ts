import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { problemReplies, replies } from "./replies/replies.ts";
import { choice, dataOf } from "./validation/shapes.ts";

/** Whether writes work: the disk is full, or writes fail for another reason. */
export const storeStates = ["ok", "full", "failing"] as const;
export type StoreState = (typeof storeStates)[number];

const Probe = Type.Object(
  {
    status: choice(["ok"]),
    store: Type.Optional(
      choice(["full", "failing"], { description: "Only while writes fail: why. `full`: the disk is full" }),
    ),
  },
  { $id: "Probe" },
);
const ProbeReply = dataOf(Probe, "ProbeReply");
/** A probe has no parameters and no body: only the Host header can be wrong. */
const invalidHost = problemReplies(["invalid_host"]);
const tags = ["Probes"];

/**
 * The request of a probe with a Host, if it has none: health checks by HTTP/1.0 do not. The URL of such a request is
 * relative, so that no route would match it.
 */
export function withHost(request: Request): Request {
  const { url, method, headers } = request;
  if (!probeTarget.test(url) || headers.has("host") || !/^(?:GET|HEAD)$/.test(method)) return request;
  return new Request(`http://localhost${url}`, { method, headers });
}

const probeTarget = /^\/(?:livez|readyz)(?:\?|$)/;

/**
 * Liveness and readiness of the process. `ping` throws when the database cannot be read. While writes fail, reads work: the
 * server stays ready.
 */
export function probeRoutes(ping: () => Promise<void>, storeState: () => StoreState = () => "ok") {
  return new Elysia({ strictPath: true, normalize: false })
    .get("/livez", () => ({ data: { status: "ok" as const } }), {
      response: replies({ 200: ProbeReply, ...invalidHost }, 500),
      detail: {
        tags,
        operationId: "getLiveness",
        summary: "Is the process alive?",
        description: "Succeeds as long as the process serves requests. Needs no key.",
      },
    })
    .get(
      "/readyz",
      async () => {
        await ping();
        const store = storeState();
        return { data: { status: "ok" as const, ...(store !== "ok" && { store }) } };
      },
      {
        response: replies({ 200: ProbeReply, ...invalidHost }, 500, 503),
        detail: {
          tags,
          operationId: "getReadiness",
          summary: "Is the server ready?",
          description:
            "Succeeds when the database can be read and no damaged page was read since the start. Needs no key.",
        },
      },
    );
}
