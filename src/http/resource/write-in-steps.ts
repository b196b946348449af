import { storedReplyOf, type WriteReply, writeOnce } from "../../core/tenant/idempotency.ts";
import { dryRunReply, type SentReply, sendReply, type WriteContext } from "./write.ts";

/**
 * `write` for a change of several transactions, which `run` makes. A dry run passes `isDryRun`; `run` then changes
 * nothing. With an Idempotency-Key, the reply is stored in a further transaction at the end: an interrupted request
 * that is sent again runs again.
 */
export async function writeInSteps<Reply extends WriteReply>(
  { tenant, set, query, idempotency }: WriteContext,
  run: (isDryRun: boolean) => Promise<Reply>,
): Promise<SentReply<Reply>> {
  const isDryRun = query.dryRun === "true";
  const runOnce = async () => (isDryRun ? dryRunReply(await run(true)) : run(false));
  const reply = idempotency
    ? await idempotency.run(tenant.organizationId, async (keyed) => {
        const stored = await tenant.write((tx) => storedReplyOf<Reply>(tx, keyed));
        if (stored) return stored;
        const reply = await runOnce();
        return isDryRun ? reply : tenant.write((tx) => writeOnce(tx, keyed, async () => reply));
      })
    : await runOnce();
  return sendReply(set, reply);
}
