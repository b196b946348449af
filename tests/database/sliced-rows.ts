import type { Values } from "../../db/engine.ts";
import { healthTiers } from "../../db/schema.ts";
import { accountStatuses } from "../../src/shared/fields/accounts.ts";
import { requestStatuses } from "../../src/shared/fields/requests.ts";
import { Random } from "../support/random.ts";
import { rowDatabase } from "./valid-rows.ts";

/** Few words, so that many rows are equal; some are in another order in UTF-16 than in UTF-8. */
const words = ["a", "ab", "b", "\ue000", "\uffff", "😀", "é", "a\u0000b"];

/** A database with random rows of two organizations in the tables of lists. */
export async function slicedRows(seed: number) {
  const random = new Random(seed);
  const { client, insert } = await rowDatabase();
  const text = () => Array.from({ length: 1 + random.below(2) }, () => random.of(words)).join(" ");
  const time = () => random.below(20);
  const times = () => {
    const created = time();
    return { created_at: created, updated_at: created + random.below(3) };
  };
  client.transaction(() => {
    for (const organization_id of [2, 1, 1, 1]) insert("accounts", { organization_id });
    for (let i = 0; i < 160; i += 1) {
      const organization_id = random.below(4) === 0 ? 2 : 1;
      // The accounts that exist already.
      const account_id = organization_id === 2 ? 2 : random.ofRanked([1, 3, 4, 5]);
      const [score, folded_title] = [random.below(5) * 20, text()];
      const scored = { score, rank: score, tier: random.of(healthTiers) };
      insert("accounts", {
        ...times(),
        ...(random.below(3) > 0 && scored),
        organization_id,
        folded_name: text(),
        mrr: random.of([0, 1, 2.5, 1e9]),
        status: random.of(accountStatuses),
      });
      for (const [resource, row_id] of [
        ["account", 5 + i],
        ["contact", 1 + i],
      ] as const) {
        const ofAttribute = { organization_id, resource, row_id };
        insert("attribute_values", { ...ofAttribute, name: "plan", text: text() });
        if (random.below(3) > 0)
          insert("attribute_values", { ...ofAttribute, name: "seats", text: null, number: random.below(20) });
      }
      insert("unmatched_ids", {
        organization_id,
        external_id: `${text()}${i}`,
        count: 1 + random.below(5),
        first_at: time(),
        last_at: 100 + time(),
      });
      const row = { organization_id, account_id, ...times() };
      insert("contacts", { ...row, folded_name: text() });
      insert("meetings", { ...row, folded_title, start_at: time(), end_at: 100 + time() });
      insert("requests", {
        ...row,
        folded_title,
        requested_at: time(),
        severity: 1 + random.below(5),
        status: random.of(["Open", "Planned", "Started"]),
      });
      insert("account_changes", { organization_id, account_id, sequence: i });
      const dayOfEvent = { organization_id, day: random.below(30), event: `${text()}${i}` };
      insert("usage_days", { ...dayOfEvent, account_id });
      insert("usage_sums", dayOfEvent);
    }
  })();
  return { client, random };
}

/** A value of each input of the statements. */
export function randomInputs(random: Random): Values {
  const from = random.below(30);
  return {
    organizationId: 1 + random.below(2),
    accountId: random.ofRanked([1, 2, 3, 4, 5, 999]),
    status: random.of([...accountStatuses, ...requestStatuses]),
    tier: random.of(healthTiers),
    search: random.ofRanked([...words, "nothing"]),
    searchLocal: random.ofRanked([...words, "nothing"]),
    searchDomain: random.ofRanked([...words, "nothing"]),
    event: random.of(words),
    email: random.of(words),
    externalId: random.of(words),
    from,
    to: from + random.below(20),
    afterDay: random.below(50),
    afterEvent: random.of(words),
    cursorValue: random.of([...words, random.below(30)]),
    cursorKey: random.below(160),
    lastValue: random.of(words),
    lastKey: random.below(160),
    resource: "account",
    name: random.of(["plan", "seats"]),
    a0Name: random.of(["plan", "seats", null]),
    a0IsNone: random.of([0, 0, 0, 1]),
    ...(random.below(2) === 0 ? randomRange(random) : randomLists(random)),
    orderTextLow: random.of(["", ...words]),
    orderTexts: JSON.stringify([random.of(words), random.of(words), random.of(words)]),
    orderLow: random.below(10),
    orderHigh: random.below(30),
    limit: 1 + random.below(12),
    offset: random.of([0, 0, random.below(20), random.below(160)]),
  };
}

function randomRange(random: Random): Values {
  return { a0TextLow: random.of(["", ...words]), a0High: random.below(30) };
}

/** The elements of a list must be in the range of its filter: without limits, the range has every value. */
function randomLists(random: Random): Values {
  const texts = Array.from({ length: 5 }, () => random.of(words));
  const numbers = Array.from({ length: 8 }, () => random.below(20));
  return { a0Texts: JSON.stringify(texts), a0Numbers: JSON.stringify(numbers) };
}
