import type { Engine } from "../../db/engine.ts";
import type { RequestOptions } from "../../src/cli/client.ts";
import type { LogFields } from "../../src/log.ts";
import { createOperatorApp } from "../../src/operator/app.ts";
import { organizationHeader, versionHeader } from "../../src/operator/request.ts";
import { reactions } from "../../src/reactions.ts";
import { readRowResult, type UpsertReply } from "../../src/shared/imports/import-lines.ts";
import type { ResourceName } from "../../src/shared/resources.ts";
import { version } from "../../src/version.ts";

/** The operator's routes over an engine, as a command uses them in its own process. */
export function operatorOf(engine: Engine, runDueJobs: () => Promise<unknown> = async () => {}) {
  const lines: ({ event: string } & LogFields)[] = [];
  const write = (level: string) => (event: string, fields?: LogFields) =>
    void lines.push({ event, ...(level === "error" && { level }), ...fields });
  const log = { info: write("info"), error: write("error") };
  const app = createOperatorApp({ engine, reactions, log, runDueJobs });

  async function send(path: string, { method, organization, body }: RequestOptions = {}): Promise<Response> {
    const request = new Request(`http://localhost${path}`, {
      method: method ?? "GET",
      headers: {
        [versionHeader]: version,
        ...(organization !== undefined && { [organizationHeader]: encodeURIComponent(organization) }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return app.handle(request);
  }

  /** Rejects with the error of the reply. */
  async function request(path: string, options?: RequestOptions) {
    const response = await send(path, options);
    // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of a reply and compares it.
    const body: any = await response.json();
    if (!response.ok) throw body.error;
    return body;
  }

  /** Sends rows of a file in one request, as the command `import` does. */
  async function importRows(organizationId: number, resource: ResourceName, rows: readonly object[]) {
    const path = resource === "accounts" ? "/api/v1/accounts/batch" : `/operator/imports/${resource}`;
    const options = {
      method: "POST",
      organization: String(organizationId),
      body: { [resource]: rows },
    } as const;
    const { data } = await request(path, options);
    return data.results.map((result: UpsertReply) => readRowResult(result));
  }

  return { app, lines, send, request, importRows };
}
