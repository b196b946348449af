// Receives the changes of a webhook: `WEBHOOK_SECRET=whsec_... bun receiver.ts`, or `node receiver.ts` from Node 24.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { DatabaseSync } from "node:sqlite";

const { WEBHOOK_SECRET = "", PORT = "8080", DATABASE = "receiver.db" } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");
if (key.length === 0) throw new Error("WEBHOOK_SECRET is missing");

const database = new DatabaseSync(DATABASE);
database.exec(`
  CREATE TABLE IF NOT EXISTS deliveries (id TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS rows (name TEXT PRIMARY KEY, sequence INTEGER, accountId INTEGER, fields TEXT)`);
const addDelivery = database.prepare("INSERT OR IGNORE INTO deliveries VALUES (?)");
const findRow = database.prepare("SELECT sequence, fields FROM rows WHERE name = ?");
const saveRow = database.prepare("INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)");
const deleteRows = database.prepare("UPDATE rows SET fields = NULL WHERE accountId = ? AND sequence < ?");

/** Whether a signature in the header is of the secret and the body, and at most 5 minutes old. */
function isSigned({ headers }: IncomingMessage, body: Buffer): boolean {
  const timestamp = headers["webhook-timestamp"];
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= 300)) return false;
  const hmac = createHmac("sha256", key).update(`${headers["webhook-id"]}.${timestamp}.`).update(body);
  const signature = Buffer.from(`v1,${hmac.digest("base64")}`);
  for (const text of String(headers["webhook-signature"]).split(" "))
    if (text.length === signature.length && timingSafeEqual(Buffer.from(text, "latin1"), signature))
      return true;
  return false;
}

type Fields = { [name: string]: unknown; attributes?: object } | null;
type Change = { sequence: number; type: string; resourceId: number; accountId: number | null; after: Fields };

/** Updates the copy of a row. The fields are NULL after a delete, an attribute is null when it was removed. */
function apply({ sequence, type, resourceId, accountId, after }: Change): void {
  const [resource, action] = type.split(".");
  if (resource === "webhook") return; // A test.
  const name = `${resource}/${resourceId}`;
  const old = findRow.get(name);
  if (Number(old?.sequence) >= sequence) return; // A newer change was applied.
  const before: Fields = JSON.parse(String(old?.fields ?? null));
  const fields = { ...before, ...after, attributes: { ...before?.attributes, ...after?.attributes } };
  saveRow.run(name, sequence, accountId, action === "deleted" ? null : JSON.stringify(fields));
  if (type === "account.deleted") deleteRows.run(accountId, sequence);
}

/** Applies a change once. The id and the result are stored together. */
function receive(id: string, change: Change): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    if (addDelivery.run(id).changes > 0) apply(change);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** Returns the status of the response: 500 for an error, so that the change is sent again. */
async function respond(request: IncomingMessage): Promise<number> {
  try {
    let body = Buffer.alloc(0);
    for await (const chunk of request) {
      body = Buffer.concat([body, chunk]);
      if (body.length > 1_048_576) return 413;
    }
    if (!isSigned(request, body)) return 401;
    receive(String(request.headers["webhook-id"]), JSON.parse(body.toString()));
    return 204;
  } catch (error) {
    console.error(error);
    return 500;
  }
}

createServer(async (request, response) => {
  response.writeHead(await respond(request)).end();
}).listen(Number(PORT), "127.0.0.1");
