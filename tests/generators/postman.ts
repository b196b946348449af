import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentFile, execute, type Workspace } from "./workspace.ts";

type Item = { request: { method: string }; item?: Item[] };
type Run = {
  executions: {
    item: { request: { method: string; url: { path: string[] } } };
    response?: { code: number; stream: { data: number[] } };
  }[];
};

const options = "parametersResolution=Example,enableOptionalParameters=false,folderStrategy=Tags";
/** The id and the `externalId` in the examples of paths. */
const [exampleId, exampleExternalId] = [42, "acme-7"];
const collectionFile = "collection.json";
const reportFile = "report.json";

/**
 * Converts the document to a collection of Postman, and sends each of its requests with newman, those that delete rows
 * last. Throws unless each has a success, or 404 or 409, because an earlier request deleted the row or used the value.
 */
export async function runPostman(workspace: Workspace): Promise<string> {
  const at = (name: string) => join(workspace.folder, name);
  await execute(workspace, ["openapi2postmanv2", "-s", documentFile, "-o", collectionFile, "-O", options]);
  const collection = JSON.parse(readFileSync(at(collectionFile), "utf8"));
  const { DELETE: deletes = [], ...others } = Object.groupBy(
    itemsOf(collection),
    ({ request }) => request.method,
  );
  const item = [...Object.values(others).flatMap((items) => items ?? []), ...deletes];
  writeFileSync(at(collectionFile), JSON.stringify({ ...collection, item }));
  await createRows(workspace);

  const { server, key } = workspace;
  const values = ["--env-var", `baseUrl=${server}`, "--env-var", `apiKey=${key}`];
  const report = ["-r", "json", "--reporter-json-export", reportFile];
  await execute(workspace, ["newman", "run", collectionFile, ...values, ...report]);
  // Safe: the report of newman.
  const { executions } = JSON.parse(readFileSync(at(reportFile), "utf8")).run as Run;
  const counts: Record<number, number> = {};
  for (const { item, response } of executions) {
    const { method, url } = item.request;
    const { code = 0, stream = { data: [] } } = response ?? {};
    counts[code] = (counts[code] ?? 0) + 1;
    if (code < 200 || (code >= 300 && code !== 404 && code !== 409))
      throw new Error(`${method} /${url.path.join("/")}: ${code} ${Buffer.from(stream.data)}`);
  }
  const failures = (counts[404] ?? 0) + (counts[409] ?? 0);
  if (executions.length < 90 || failures > 10) throw new Error(JSON.stringify(counts));
  return Object.entries(counts)
    .map(([code, count]) => `${count} × ${code}`)
    .join(", ");
}

function itemsOf({ item, ...own }: Item): Item[] {
  return item ? item.flatMap(itemsOf) : [own];
}

/** Creates the rows that the examples of paths refer to. */
async function createRows({ server, key }: Workspace): Promise<void> {
  const times = { startAt: "2026-01-02", endAt: "2026-01-02" };
  const accounts = Array.from({ length: exampleId }, (_, i) => {
    const externalId = i + 1 === exampleId ? exampleExternalId : `row-${i}`;
    const row = { externalId, name: "Row", title: "Row" };
    return { ...row, contacts: [row], meetings: [{ ...row, ...times }], requests: [row] };
  });
  const reply = await fetch(`${server}/api/v1/accounts/batch`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ accounts }),
  });
  // Safe: the reply of the server.
  const { data } = (await reply.json()) as { data?: { created: number } };
  if (data?.created !== exampleId) throw new Error("the rows were not created");
}
