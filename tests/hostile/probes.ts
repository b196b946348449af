import { checkReply } from "../support/contract.ts";
import type { Reply, world } from "../support/world.ts";

export type World = Awaited<ReturnType<typeof world>>;

/** The text in hostile requests that no error reply may repeat. Only letters. */
export const marker = "zqMARKERqz";

/** An invalid or hostile request and its expected reply. Without `code`: a success. */
export type Probe = {
  title: string;
  status: number;
  code?: string;
  /** The pointer or parameter of the first of `errors`. */
  blamed?: string;
  allow?: string;
  method?: string;
  path?: string;
  body?: string | Uint8Array | (() => ReadableStream<Uint8Array>);
  headers?: Record<string, string | null>;
  /** Null: no key. Absent: the first organization's. */
  key?: string | null;
  /** Returns milliseconds that the reply may take in addition to the limit. Called before each request. */
  addedTime?: () => number;
};

const accounts = "/api/v1/accounts";
const maxMilliseconds = 50;
const maxReplyBytes = 16_384;

/** Sends each probe separately and returns one line for each unexpected reply. */
export async function faultsOf(service: World, probes: readonly Probe[]): Promise<string[]> {
  await warmUp(service);
  const faults: string[] = [];
  for (const probe of probes) for (const fault of await judge(service, probe)) faults.push(fault);
  if ("polluted" in {}) faults.push("Object.prototype was polluted");
  for (const { event } of service.lines) faults.push(`logged ${event}`);
  return faults;
}

async function warmUp({ call }: World): Promise<void> {
  for (let i = 0; i < 5; i++) {
    const { body } = await call("POST", accounts, { name: `Warm ${i}` });
    await call("GET", accounts);
    await call("GET", `${accounts}/${body.data.id}`);
    await call("PATCH", `${accounts}/${body.data.id}`, { mrr: i + 1 });
    await call("PATCH", `${accounts}/${body.data.id}`, { mrr: "x" });
    await call("GET", `${accounts}?page=x`);
    await call("POST", accounts, "{");
  }
}

async function judge(service: World, probe: Probe): Promise<string[]> {
  const { reply, milliseconds } = await fastest(service, probe);
  const faults: string[] = [];
  if (reply.status !== probe.status) faults.push(`status ${reply.status}, not ${probe.status}`);
  if (milliseconds > maxMilliseconds) faults.push(`took ${milliseconds} ms`);
  if (Buffer.byteLength(reply.text) > maxReplyBytes)
    faults.push(`a reply of ${reply.text.length} characters`);
  if (reply.status >= 400) faults.push(...faultsOfProblem(probe, reply));
  await checkReply(service.app, probe.method ?? "GET", probe.path ?? accounts, reply).catch(
    (error: unknown) => faults.push(`undocumented: ${String(error).slice(0, 200)}`),
  );
  return faults.map((fault) => `${probe.title}: ${fault}`);
}

/** One call. A slow one is repeated, and the fastest of nine counts, to exclude pauses of the machine. */
async function fastest(service: World, probe: Probe) {
  let best = await send(service, probe);
  for (let again = 0; again < 8 && best.milliseconds > maxMilliseconds; again++) {
    const next = await send(service, probe);
    if (next.milliseconds < best.milliseconds) best = next;
  }
  return best;
}

/** The reply, and its duration without the added time of the probe and without that of other processes. */
async function send({ app, first }: World, probe: Probe): Promise<{ reply: Reply; milliseconds: number }> {
  const request = requestOf(probe, first.key);
  const addedTime = probe.addedTime?.() ?? 0;
  const start = performance.now();
  const processorStart = process.cpuUsage();
  const response = await app.fetch(request);
  const text = await response.text();
  const { user, system } = process.cpuUsage(processorStart);
  const milliseconds = Math.min(performance.now() - start - addedTime, (user + system) / 1000);
  const { status, headers } = response;
  return { milliseconds, reply: { status, headers, text, body: parsed(text) } };
}

function requestOf(
  { method = "GET", path = accounts, body, headers = {}, key }: Probe,
  ownKey: string,
): Request {
  const sent = new Headers();
  const secret = key === undefined ? ownKey : key;
  if (secret !== null) sent.set("x-api-key", secret);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  if (bytes !== undefined) sent.set("content-type", "application/json");
  if (bytes instanceof Uint8Array) sent.set("content-length", String(bytes.byteLength));
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) sent.delete(name);
    else sent.set(name, value);
  }
  const content = typeof bytes === "function" ? bytes() : bytes;
  return new Request(`http://localhost${path}`, {
    method,
    headers: sent,
    ...(content !== undefined && { body: content }),
  });
}

function parsed(text: string): Reply["body"] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const members = ["type", "title", "status", "detail", "code", "errors"];
const inward =
  /sqlite|drizzle|bun:|elysia|typebox|typescript|node_modules|\.[cm]?[jt]s\b|\/(?:work|tmp|home|src|db)\/|(?:type|syntax|range|reference)error|exception|json parse|\[object|undefined|\n\s+at /i;
const sql = /\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|UNIQUE|CONSTRAINT|NaN)\b/;

/** The errors of an error reply, except for its status. */
export function faultsOfProblem(
  { code, blamed, allow }: Probe,
  { status, headers, text, body }: Reply,
): string[] {
  const faults: string[] = [];
  if (headers.get("content-type") !== "application/problem+json") faults.push("is no problem+json");
  if (!headers.get("x-request-id")) faults.push("has no x-request-id");
  if (body.code !== code) faults.push(`code ${body.code}, not ${code}`);
  if (body.type !== `urn:accountd:problem:${body.code}`) faults.push(`type ${body.type}`);
  if (body.status !== status) faults.push("the body's status is not the response's");
  if (!body.title || !body.detail) faults.push("has no title or no detail");
  const more = Object.keys(body).filter((name) => !members.includes(name));
  if (more.length > 0) faults.push(`has members ${more}`);
  const [error = {}] = body.errors ?? [];
  if (blamed !== undefined && (error.pointer ?? error.parameter) !== blamed)
    faults.push(`blames ${error.pointer ?? error.parameter}, not ${blamed}`);
  const methods = headers.get("allow") ?? "";
  if (allow !== undefined && methods !== allow) faults.push(`allow: ${methods}`);
  if (status === 405 && !body.detail.includes(methods)) faults.push(`does not name ${methods}`);
  if (status === 401 && headers.get("www-authenticate") !== 'Basic realm="accountd", ApiKey realm="accountd"')
    faults.push("has no WWW-Authenticate");
  // DELETE is one of the methods.
  if (inward.test(text) || sql.test(text.replace(methods, "")))
    faults.push(`speaks of the inside: ${text.slice(0, 200)}`);
  if (text.toLowerCase().includes(marker.toLowerCase()))
    faults.push(`repeats what was sent: ${text.slice(0, 300)}`);
  return faults;
}
