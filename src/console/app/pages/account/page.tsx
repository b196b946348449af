import "../../styles/account.css";
import { useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { subResourceNames } from "../../../../shared/resources.ts";
import { api } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Empty, Loaded, PageTitle } from "../../components/layout.tsx";
import { Logo } from "../../components/logo.tsx";
import { EditDialog } from "../../editing/edit-dialog.tsx";
import { navigate } from "../../router.ts";
import { useSession } from "../../session.ts";
import { useRequest } from "../../use-request.ts";
import { AttributesCard } from "./attributes.tsx";
import { HealthCard, ScoreHistoryCard } from "./health.tsx";
import { HistoryCard } from "./history.tsx";
import { accountResource, included } from "./resources.ts";
import { SubResourceCard } from "./sub-resource-card.tsx";
import { type Account, Summary } from "./summary.tsx";
import { UsageCard } from "./usage.tsx";

async function loadAccount(accountId: number, signal: AbortSignal): Promise<Account> {
  const params = { path: { accountId }, query: { include: [...included] } };
  return (await api.GET("/api/v1/accounts/{accountId}", { params, signal })).data.data;
}

/** An account with everything that belongs to it. */
export function AccountPage({ accountId }: { accountId: number }) {
  // Counts the changes made here: what may differ after them is loaded again.
  const [version, setVersion] = useState(0);
  const state = useRequest((signal) => loadAccount(accountId, signal), [accountId, version]);
  const account = state.data;
  if (state.error instanceof ProblemError && state.error.status === 404) return <AccountMissing />;
  return (
    <>
      <p>
        <a href="/console/accounts">← Accounts</a>
      </p>
      <PageTitle
        title={account?.name ?? "Account"}
        mark={account && <Logo name={account.name} url={account.logoUrl} />}
      >
        {account && <Actions account={account} onChanged={() => setVersion(version + 1)} />}
      </PageTitle>
      <Loaded state={state} height={40}>
        {(loaded) => (
          <Cards account={loaded} version={version} onChanged={() => setVersion((before) => before + 1)} />
        )}
      </Loaded>
    </>
  );
}

type CardsProps = { account: Account; version: number; onChanged: () => void };

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
    <div class="cards account">
      <Summary account={account} health={health.data?.health} />
      <HealthCard state={health} status={account.status ?? "inactive"} />
      <div class="stack">
        <ScoreHistoryCard accountId={accountId} version={version} />
        <AttributesCard accountId={accountId} attributes={account.attributes ?? {}} onChanged={onChanged} />
      </div>
      <SubResourceCard name="contacts" accountId={accountId} onChanged={onChanged} />
      <UsageCard accountId={accountId} version={account.externalId} />
      <div class="stack">
        {subResourceNames
          .filter((name) => name !== "contacts")
          .map((name) => (
            <SubResourceCard key={name} name={name} accountId={accountId} onChanged={onChanged} />
          ))}
      </div>
      <HistoryCard accountId={accountId} version={version} />
    </div>
  );
}

function Actions({ account, onChanged }: { account: Account; onChanged: () => void }) {
  const canWrite = useSession().can("write");
  const [open, setOpen] = useState<"edit" | "delete">();
  const close = () => setOpen(undefined);
  if (!canWrite) return null;
  return (
    <div class="row">
      <button type="button" onClick={() => setOpen("edit")}>
        Edit account
      </button>
      <button type="button" class="danger" onClick={() => setOpen("delete")}>
        Delete account
      </button>
      {open === "edit" && (
        <EditDialog
          title="Edit account"
          resource={accountResource}
          id={account.id}
          onSaved={onChanged}
          onClose={close}
        />
      )}
      {open === "delete" && (
        <FormDialog
          title="Delete account"
          submitLabel="Delete account"
          isDangerous
          onSubmit={async () => {
            await accountResource.delete(account.id);
            navigate("/console/accounts");
          }}
          onClose={close}
        >
          <p>
            Delete <strong>{account.name}</strong> with its {subResourceNames.join(", ")}, usage and scores?
            This cannot be undone.
          </p>
        </FormDialog>
      )}
    </div>
  );
}

function AccountMissing() {
  return (
    <>
      <PageTitle title="Account not found" />
      <Empty title="There is no account at this address">
        <p>
          It may have been deleted. <a href="/console/accounts">Show all accounts</a>
        </p>
      </Empty>
    </>
  );
}
