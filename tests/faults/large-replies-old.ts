import type { ReplyGround } from "./large-replies-data.ts";
import { type ReplyRow, requestsOf } from "./large-replies-rows.ts";

const connections = 16;
const attributeCount = 50;
/** The characters of a text, each of which has four bytes. */
const attributeLength = 500;

/** Sets the attributes of all accounts, contacts and changes to 100 kB, as earlier versions allowed. */
export async function enlargeAttributes({ execute }: ReplyGround): Promise<void> {
  const attributes = JSON.stringify(
    Object.fromEntries(
      Array.from({ length: attributeCount }, (_, i) => [`attribute${i}`, "😀".repeat(attributeLength)]),
    ),
  );
  for (const table of ["accounts", "contacts"])
    await execute(`UPDATE ${table} SET attributes = '${attributes}'`);
  await execute(`UPDATE changes SET after = json_set(after, '$.attributes', json('${attributes}'))
    WHERE after IS NOT NULL`);
}

/** Pages by number have fewer rows, because they are limited to 8 MiB. */
export const oldRowRows: readonly ReplyRow[] = Object.entries({
  "changes of 100 kB": ["changes"],
  "pages of 100 kB": [
    "accounts?pageSize=50&include=attributes",
    "accounts?pageSize=100&include=attributes&cursor=",
    "contacts?pageSize=50",
    "contacts?pageSize=100&cursor=",
  ],
}).map(([name, paths]) => ({
  name,
  connections,
  requests: (target) => paths.flatMap((path) => requestsOf(`/api/v1/${path}`)(target)),
  limits: { megabytes: 250, patch: 250 },
}));
