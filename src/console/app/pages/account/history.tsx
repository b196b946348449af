import "../../styles/live.css";
import { useMemo } from "preact/hooks";
import { resources, subResourceNames } from "../../../../shared/resources.ts";
import { api } from "../../api.ts";
import { Card, Empty, LoadedRows } from "../../components/layout.tsx";
import { type Tier, TierName } from "../../components/values.tsx";
import { formatMember } from "../../editing/members.ts";
import { formatTime } from "../../format.ts";
import { account as accountTexts } from "../../messages/messages.ts";
import { useCursorList } from "../../use-request.ts";
import { labelOfMember } from "../accounts/attribute-text.ts";
import {
  actorName,
  type HistoryEntry,
  keyOfRow,
  memberChanges,
  namesIn,
  type RowNames,
  titleOf,
} from "./change-text.ts";
import type { Account } from "./summary.tsx";

const text = accountTexts.history;

/** The present names of the rows of the account; of deleted rows, the names in the changes. */
function namesOf(account: Account, changes: readonly HistoryEntry[]): RowNames {
  return new Map([
    ...namesIn(changes),
    ...subResourceNames.flatMap((name) =>
      account[name].map((row) => {
        const rowName = "name" in row ? row.name : row.title;
        return [keyOfRow(resources[name].noun, row.id), rowName] as const;
      }),
    ),
  ]);
}

/** The changes of the account and of what belongs to it, newest first. */
export function HistoryCard({ account, version }: { account: Account; version: number }) {
  const accountId = account.id;
  const list = useCursorList<HistoryEntry>(
    async (query, signal) => {
      const params = { path: { accountId }, query };
      return (await api.GET("/api/v1/accounts/{accountId}/history", { params, signal })).data;
    },
    [accountId, version],
  );
  const openedAt = useMemo(() => new Date().toISOString(), [accountId]);
  return (
    <Card title={text.title}>
      <LoadedRows list={list} noun={text.noun} height={18} empty={<Empty title={text.empty} />}>
        {(changes) => {
          const names = namesOf(account, changes);
          return (
            <ol class="history">
              {changes.map((change) => (
                <ChangeItem
                  key={change.sequence}
                  change={change}
                  title={titleOf(change, names)}
                  isNew={change.time > openedAt}
                />
              ))}
            </ol>
          );
        }}
      </LoadedRows>
    </Card>
  );
}

type ChangeItemProps = { change: HistoryEntry; title: string; isNew: boolean };

function ChangeItem({ change, title, isNew }: ChangeItemProps) {
  return (
    <li class={isNew ? "new" : undefined}>
      <p class="hint">
        <time dateTime={change.time}>{formatTime(change.time)}</time> · {actorName(change)}
      </p>
      <div>
        <p>{title}</p>
        {change.type === "account.health_changed" ? (
          <TierChange {...change} />
        ) : (
          change.type.endsWith(".updated") && <MemberList change={change} />
        )}
      </div>
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
          <span class="hint">{labelOfMember(name)}</span> {formatMember(name, from)} →{" "}
          {formatMember(name, to)}
        </li>
      ))}
    </ul>
  );
}
