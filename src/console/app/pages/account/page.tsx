import "../../styles/account.css";
import { useState } from "preact/hooks";
import type { Change } from "../../../../../clients/typescript/src/lists.ts";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { subResourceNames } from "../../../../shared/resources.ts";
import { api } from "../../api.ts";
import { Empty, Loaded, PageTitle } from "../../components/layout.tsx";
import { Logo } from "../../components/logo.tsx";
import { account as text } from "../../messages/messages.ts";
import { useRequest } from "../../use-request.ts";
import { AccountActions } from "./actions.tsx";
import { AttributesCard } from "./attributes.tsx";
import { ScoreHistoryCard, UsageCard } from "./day-plots.tsx";
import { HealthCard } from "./health.tsx";
import { HistoryCard } from "./history.tsx";
import { included } from "./resources.ts";
import { SubResourceCard } from "./sub-resource-card.tsx";
import { type Account, Summary } from "./summary.tsx";

async function loadAccount(accountId: number, signal: AbortSignal): Promise<Account> {
  const params = { path: { accountId }, query: { include: [...included] } };
  return (await api.GET("/api/v1/accounts/{accountId}", { params, signal })).data.data;
}

/** Whether a change can be seen on the page of an account. A row that moves to another account is of both. */
export function isOfAccount({ type, accountId, before }: Change, id: number): boolean {
  if (accountId === id || type === "health_settings.updated") return true;
  return before !== null && "accountId" in before && before.accountId === id;
}

/** An account with everything that belongs to it. */
export function AccountPage({ accountId }: { accountId: number }) {
  // Counts the changes made here: what may differ after them is loaded again.
  const [version, setVersion] = useState(0);
  const onChanged = () => setVersion((before) => before + 1);
  const state = useRequest((signal) => loadAccount(accountId, signal), [accountId, version]);
  const account = state.data;
  if (state.error instanceof ProblemError && state.error.status === 404) return <AccountMissing />;
  return (
    <>
      <p>
        <a href="/console/accounts">{text.back}</a>
      </p>
      <PageTitle
        title={account?.name ?? text.title}
        mark={account && <Logo name={account.name} url={account.logoUrl} />}
      >
        {account && <AccountActions account={account} onChanged={onChanged} />}
      </PageTitle>
      <Loaded state={state} height={40}>
        {(loaded) => <Cards account={loaded} version={version} onChanged={onChanged} />}
      </Loaded>
    </>
  );
}

type CardsProps = { account: Account; version: number; onChanged: () => void };

/** People and work first, then why the score is what it is, then what happened. */
function Cards({ account, version, onChanged }: CardsProps) {
  const accountId = account.id;
  const health = useRequest(
    async (signal) => {
      const params = { path: { accountId } };
      const [health, settings] = await Promise.all([
        api.GET("/api/v1/accounts/{accountId}/health", { params, signal }),
        api.GET("/api/v1/health/settings", { signal }),
      ]);
      return { health: health.data.data, settings: settings.data.data };
    },
    [accountId, version],
  );
  return (
    <div class="stack account">
      <Summary account={account} health={health.data?.health} onChanged={onChanged} />
      <div class="cards people">
        {subResourceNames.map((name) => (
          <SubResourceCard key={name} {...{ name, accountId, version, onChanged }} />
        ))}
      </div>
      <HealthCard state={health} status={account.status ?? "inactive"} />
      <div class="cards facts">
        <ScoreHistoryCard accountId={accountId} version={version} />
        <AttributesCard accountId={accountId} attributes={account.attributes ?? {}} onChanged={onChanged} />
      </div>
      <UsageCard accountId={accountId} version={account.externalId} />
      <HistoryCard account={account} version={version} />
    </div>
  );
}

function AccountMissing() {
  const { title, text: reason, advice, link } = text.missing;
  return (
    <>
      <PageTitle title={title} />
      <Empty title={reason} advice={[advice, <a href="/console/accounts">{link}</a>]} />
    </>
  );
}
