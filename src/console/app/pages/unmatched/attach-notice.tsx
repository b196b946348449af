import { useEffect, useState } from "preact/hooks";
import { ProblemNotice } from "../../components/problem.tsx";
import { formatCount } from "../../format.ts";
import { type AttachedAccount, countPendingEvents } from "./requests.ts";

const maxSeconds = 10;
const intervalMilliseconds = 500;

/** Shows how the events of an id are attached to its account: polls until none is pending, for at most 10 seconds. */
export function AttachNotice({ account }: { account: AttachedAccount }) {
  const [state, setState] = useState<{ pendingCount?: number; isDone: boolean; error?: unknown }>({
    isDone: false,
  });
  useEffect(() => {
    const controller = new AbortController();
    follow(account.id, controller.signal, (pendingCount, isDone) => setState({ pendingCount, isDone })).catch(
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ isDone: true, error });
      },
    );
    return () => controller.abort();
  }, [account]);
  if (state.error !== undefined) return <ProblemNotice error={state.error} />;
  return (
    <div class="notice" role="status">
      <p>
        {textOf(account, state)} <a href={`/console/accounts/${account.id}`}>{account.name}</a>
      </p>
      {state.isDone && state.pendingCount !== undefined && state.pendingCount > 0 && (
        <p class="hint">The server attaches the other {formatCount(state.pendingCount)} in the background.</p>
      )}
    </div>
  );
}

function textOf(
  { eventCount, externalId }: AttachedAccount,
  { pendingCount, isDone }: { pendingCount?: number; isDone: boolean },
): string {
  const events = `${formatCount(eventCount)} ${eventCount === 1 ? "event" : "events"}`;
  const count = Math.max(0, eventCount - (pendingCount ?? eventCount));
  if (pendingCount === 0) return `Attached ${events} of ${externalId} to`;
  if (isDone || count > 0) return `Attached ${formatCount(count)} of ${events} of ${externalId} to`;
  return `Attaching ${events} of ${externalId} to`;
}

async function follow(
  accountId: number,
  signal: AbortSignal,
  report: (pendingCount: number, isDone: boolean) => void,
): Promise<void> {
  const end = Date.now() + maxSeconds * 1000;
  for (;;) {
    const pendingCount = await countPendingEvents(accountId, signal);
    if (signal.aborted) return;
    const isDone = pendingCount === 0 || Date.now() >= end;
    report(pendingCount, isDone);
    if (isDone) return;
    await new Promise((resolve) => setTimeout(resolve, intervalMilliseconds));
    if (signal.aborted) return;
  }
}
