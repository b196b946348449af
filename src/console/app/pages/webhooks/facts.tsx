import { Fact } from "../../components/layout.tsx";
import { formatCount, formatTime } from "../../format.ts";
import { fields, webhooks as text } from "../../messages/messages.ts";
import { useRequest } from "../../use-request.ts";
import { textOfType } from "./change-types.ts";
import { readLatestError, type Webhook } from "./requests.ts";
import { stateOfWebhook, textOfOutcome } from "./webhook-state.ts";

export function State({ webhook }: { webhook: Webhook }) {
  const state = stateOfWebhook(webhook);
  return <span class={`state together ${state}`}>{text.states[state]}</span>;
}

type FactsProps = {
  webhook: Webhook;
  /** What failed is read again when it changes. */
  version: number;
};

/** The settings of a webhook, and why it delivers nothing. */
export function Facts({ webhook, version }: FactsProps) {
  const { url, types, format, ordered, pendingCount, disabledReason, disabledAt } = webhook;
  return (
    <section class="card" aria-label={text.title}>
      {disabledReason !== null && disabledAt !== null && (
        <p class="notice problem">{text.disabled(formatTime(disabledAt), disabledReason)}</p>
      )}
      {stateOfWebhook(webhook) === "failing" && <FailingNotice webhook={webhook} version={version} />}
      <dl class="strip">
        <Fact label={fields.labels.url}>
          <code>{url}</code>
        </Fact>
        <Fact label={text.state}>
          <State webhook={webhook} />
        </Fact>
        <Fact label={text.pending}>{formatCount(pendingCount)}</Fact>
        <Fact label={text.format}>{text.formats[format]}</Fact>
        <Fact label={text.order}>{text.orders[ordered]}</Fact>
        <Fact label={text.types}>{types === null ? text.allTypes : types.map(textOfType).join(", ")}</Fact>
      </dl>
      {webhook.previousSecretExpiresAt !== null && (
        <p class="hint">{text.oldSecret(formatTime(webhook.previousSecretExpiresAt))}</p>
      )}
    </section>
  );
}

function FailingNotice({ webhook: { id, retryingCount }, version }: FactsProps) {
  const { data } = useRequest((signal) => readLatestError(id, signal), [id, version]);
  const outcome = data && textOfOutcome(data);
  return (
    <p class="notice failing">
      {text.failing(retryingCount, formatCount(retryingCount))} {outcome && text.latestError(outcome)}
    </p>
  );
}
