import { api } from "../../api.ts";
import { Card, Empty, LoadedRows } from "../../components/layout.tsx";
import { type Tier, TierName } from "../../components/values.tsx";
import { formatMember, labelOf } from "../../editing/members.ts";
import { formatTime } from "../../format.ts";
import { useCursorList } from "../../use-request.ts";
import { actorName, type HistoryEntry, memberChanges, titleOf } from "./change-text.ts";

/** The changes of the account and of what belongs to it, newest first. */
export function HistoryCard({ accountId, version }: { accountId: number; version: number }) {
  const list = useCursorList<HistoryEntry>(
    async (query, signal) => {
      const params = { path: { accountId }, query };
      return (await api.GET("/api/v1/accounts/{accountId}/history", { params, signal })).data;
    },
    [accountId, version],
  );
  return (
    <Card title="History">
      <LoadedRows list={list} noun="changes" height={18} empty={<Empty title="No changes are stored" />}>
        {(rows) => (
          <ol class="history">
            {rows.map((change) => (
              <ChangeItem key={change.sequence} change={change} />
            ))}
          </ol>
        )}
      </LoadedRows>
    </Card>
  );
}

function ChangeItem({ change }: { change: HistoryEntry }) {
  return (
    <li>
      <p class="hint">
        <time dateTime={change.time}>{formatTime(change.time)}</time> · {actorName(change)}
      </p>
      <p>{titleOf(change)}</p>
      {change.type === "account.health_changed" ? (
        <TierChange {...change} />
      ) : (
        change.type.endsWith(".updated") && <MemberList change={change} />
      )}
    </li>
  );
}

type TierChangeProps = Record<"before" | "after", { tier: Tier; score: number | null }>;

function TierChange({ before, after }: TierChangeProps) {
  return (
    <p>
      <TierName {...before} /> → <TierName {...after} />
    </p>
  );
}

function MemberList({ change }: { change: HistoryEntry }) {
  return (
    <ul>
      {memberChanges(change).map(({ name, from, to }) => (
        <li key={name}>
          <span class="hint">{labelOf(name)}</span> {formatMember(name, from)} → {formatMember(name, to)}
        </li>
      ))}
    </ul>
  );
}
