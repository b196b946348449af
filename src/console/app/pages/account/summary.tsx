import type { components } from "../../../../../clients/typescript/src/schema.ts";
import { Age, TierName } from "../../components/values.tsx";
import { formatMrr } from "../../format.ts";
import { messages } from "../../messages/messages.ts";
import { type AccountHealth, textOfSource } from "./health-factors.ts";

export type Account = components["schemas"]["Account"];

/** The address if it is one of the web: links of other schemes could run scripts. */
function webAddressOf(text: string | null): string | undefined {
  return text !== null && /^https?:\/\//i.test(text) ? text : undefined;
}

/** The members of the account. `health` is undefined while it is loaded. */
export function Summary({ account, health }: { account: Account; health: AccountHealth | undefined }) {
  const { contactActivity, externalId, mrr, status = "inactive" } = account;
  const logo = webAddressOf(account.logoUrl);
  return (
    <section class="card wide" aria-label="Summary">
      <dl class="strip">
        <div>
          <dt>Status</dt>
          <dd>{messages.fields.values.status[status]}</dd>
        </div>
        <div>
          <dt>MRR</dt>
          <dd>{formatMrr(mrr)}</dd>
        </div>
        <div>
          <dt>Tier</dt>
          <dd>{health ? <TierName tier={health.tier} score={health.score} /> : "…"}</dd>
        </div>
        <div>
          <dt>Last activity</dt>
          <dd>
            {contactActivity ? (
              <>
                <Age timestamp={contactActivity.at} />
                <span class="hint below">{textOfSource(contactActivity.source)}</span>
              </>
            ) : (
              "none"
            )}
          </dd>
        </div>
        <div>
          <dt>External id</dt>
          <dd>{externalId === null ? "none" : <code>{externalId}</code>}</dd>
        </div>
        {logo !== undefined && (
          <div>
            <dt>Logo</dt>
            <dd>
              <a href={logo} target="_blank" rel="noreferrer">
                {new URL(logo).hostname}
              </a>
            </dd>
          </div>
        )}
        <div>
          <dt>Updated</dt>
          <dd>
            <Age timestamp={account.updatedAt} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
