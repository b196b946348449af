import { TokenBuckets } from "../http/guard/token-buckets.ts";
import type { LeveledLog } from "../log.ts";

/** More than programs such as fail2ban count until they ban an address. */
const maxLinesPerMinute = { ofAddress: 20, ofAll: 600 };

/**
 * Returns a function that logs failed authentications with their address: at most 20 a minute for each address and 600
 * for all. The first line after others were left out has their number.
 */
export function createFailureLog(
  log: Pick<LeveledLog, "warn">,
  clientOf: (request: Request) => string,
  now?: () => number,
): (request: Request, kind: string) => void {
  const buckets = new TokenBuckets(now);
  let omittedCount = 0;
  const take = (name: string, limit: number) => buckets.take(name, limit, limit).isAllowed;
  return (request, kind) => {
    const address = clientOf(request);
    // The connection is closed.
    if (address === "") return;
    if (!take(address, maxLinesPerMinute.ofAddress) || !take("all", maxLinesPerMinute.ofAll)) {
      omittedCount += 1;
      return;
    }
    log.warn("authentication_failed", { address, kind, ...(omittedCount > 0 && { omittedCount }) });
    omittedCount = 0;
  };
}
