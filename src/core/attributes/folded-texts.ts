import { asc, gt } from "drizzle-orm";
import type { Values } from "../../../db/engine.ts";
import { allOf, textInput } from "../../../db/expressions.ts";
import { isBeyondAscii } from "../../../db/folded-texts.ts";
import { type AttributeResource, attributeValues } from "../../../db/schema.ts";
import { invalidParameter } from "../errors.ts";
import { fold } from "../folding.ts";
import { readBatchSize } from "../pauses.ts";
import { select } from "../tenant/statements.ts";
import type { TenantSnapshot } from "../tenant/transaction.ts";
import { attributePrefix } from "./attributes.ts";
import type { FoldedOperator } from "./filters.ts";
import { isAttribute } from "./value-index.ts";

const { text } = attributeValues;

/** The distinct texts of an attribute that SQL does not fold, in their order after the input `after`. */
const textsBeyondAscii = (of: AttributeResource) =>
  select(`attributeValues.textsOf/${of}`, {
    fields: { text },
    from: attributeValues,
    where: allOf(isAttribute(of, "text", "of"), isBeyondAscii(text), gt(text, textInput("after"))),
    groupBy: [text],
    orderBy: [asc(text)],
    paged: true,
  });
const statements = { account: textsBeyondAscii("account"), contact: textsBeyondAscii("contact") };

/** The matching texts beyond ASCII of a filter have at most this many characters, which are inputs of each statement. */
const maxMatchedCharacters = 2_000_000;

const isMatch: Record<FoldedOperator, (folded: string, sent: string) => boolean> = {
  contains: (folded, sent) => folded.includes(sent),
  ieq: (folded, sent) => folded === sent,
};

/**
 * The inputs of `isFoldedMatch` for a text that was sent. Folds the texts beyond ASCII here, because SQL cannot. Throws
 * `invalid_request` when too many of them match.
 */
export async function readFoldedInputs(
  snapshot: TenantSnapshot,
  of: AttributeResource,
  { name, operator, sent, input }: { name: string; operator: FoldedOperator; sent: string; input: string },
): Promise<Values> {
  const folded = fold(sent);
  const others: string[] = [];
  let characterCount = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const values: Values = { ofName: name, after, limit: readBatchSize, offset: 0 };
    const rows: { text: string | null }[] = await snapshot.all(statements[of], values);
    for (const { text: other } of rows) {
      if (other === null || !isMatch[operator](fold(other), folded)) continue;
      others.push(other);
      characterCount += other.length;
    }
    if (characterCount > maxMatchedCharacters) {
      const detail = `matches different texts with letters beyond ASCII of more than ${maxMatchedCharacters} characters together; send a longer text`;
      throw invalidParameter(`${attributePrefix}${name}.${operator}`, "too_many", detail);
    }
    after = rows.length < readBatchSize ? undefined : (rows.at(-1)?.text ?? undefined);
  }
  return { [input]: folded, [`${input}Others`]: JSON.stringify(others) };
}
