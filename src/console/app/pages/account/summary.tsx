import { useState } from "preact/hooks";
import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Fact } from "../../components/layout.tsx";
import { Age, TierName } from "../../components/values.tsx";
import { formatMrr } from "../../format.ts";
import { fields, account as text } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { type AccountHealth, textOfSource } from "./health-factors.ts";
import { accountResource } from "./resources.ts";

const { labels, none, values } = fields;

export type Account = components["schemas"]["Account"];

/** The address if it is one of the web: links of other schemes could run scripts. */
function webAddressOf(address: string | null): string | undefined {
  return address !== null && /^https?:\/\//i.test(address) ? address : undefined;
}

type SummaryProps = { account: Account; health: AccountHealth | undefined; onChanged: () => void };

/** The members of the account. `health` is undefined while it is loaded. */
export function Summary({ account, health, onChanged }: SummaryProps) {
  const { externalId, mrr, status = "inactive" } = account;
  const logo = webAddressOf(account.logoUrl);
  return (
    <section class="card" aria-label={text.summary}>
      <dl class="strip">
        <Fact label={labels.status}>{values.status[status]}</Fact>
        <Fact label={labels.mrr}>{formatMrr(mrr)}</Fact>
        <Fact label={labels.tier}>{health ? <TierName tier={health.tier} score={health.score} /> : "…"}</Fact>
        <Fact label={labels.contactActivityAt}>
          <LastActivity account={account} onChanged={onChanged} />
        </Fact>
        <Fact label={labels.externalId}>{externalId === null ? none : <code>{externalId}</code>}</Fact>
        {logo !== undefined && (
          <Fact label={text.logo}>
            <a href={logo} target="_blank" rel="noreferrer">
              {new URL(logo).hostname}
            </a>
          </Fact>
        )}
        <Fact label={labels.updatedAt}>
          <Age timestamp={account.updatedAt} />
        </Fact>
      </dl>
    </section>
  );
}

type LastActivityProps = { account: Account; onChanged: () => void };

/** The last activity with its source. A time that was set for the account is pinned: it can be cleared here. */
function LastActivity({ account: { id, contactActivity }, onChanged }: LastActivityProps) {
  const canWrite = useSession().can("write");
  const [isOpen, setIsOpen] = useState(false);
  if (!contactActivity) return none;
  const isPinned = contactActivity.source === "api";
  return (
    <>
      <Age timestamp={contactActivity.at} />
      <span class={isPinned ? "badge" : "hint below"}>{textOfSource(contactActivity.source)}</span>
      {isPinned && canWrite && (
        <button type="button" class="link below" onClick={() => setIsOpen(true)}>
          {text.clearPin}
        </button>
      )}
      {isOpen && (
        <FormDialog
          title={text.clearPin}
          savedText={text.unpinned}
          onSubmit={async () => {
            await accountResource.update(id, { contactActivityAt: null }, "*");
            onChanged();
          }}
          onClose={() => setIsOpen(false)}
        >
          <p>{text.clearPinText}</p>
        </FormDialog>
      )}
    </>
  );
}
