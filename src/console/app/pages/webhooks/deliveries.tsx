import { type WithAccount, withAccounts } from "../../account-names.ts";
import { oneOf, readView } from "../../address.ts";
import { api } from "../../api.ts";
import { Card, Empty, LoadedTable } from "../../components/layout.tsx";
import { AccountLink, ParameterSelect } from "../../components/list-inputs.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { showSaved } from "../../components/saved-note.tsx";
import { actionColumn, type Column } from "../../components/table.tsx";
import { Age, noValue } from "../../components/values.tsx";
import { formatCount } from "../../format.ts";
import { fields, webhooks } from "../../messages/messages.ts";
import { usePlace } from "../../router.ts";
import { useSession } from "../../session.ts";
import { useAction, useCursorList } from "../../use-request.ts";
import { textOfType } from "./change-types.ts";
import { ResponseBody } from "./dialogs.tsx";
import { type DeliveryStatus, readDeliveries, type Webhook, type WebhookDelivery } from "./requests.ts";
import { textOfOutcome } from "./webhook-state.ts";

const text = webhooks.deliveries;
const { labels } = fields;
const pageSize = 25;
// Safe: the keys of the table.
const statuses = Object.entries(text.statuses) as [DeliveryStatus, string][];
const statusOptions = [["all", text.all], ...statuses] as const;

export const deliveryParameter = oneOf(
  statuses.map(([status]) => status),
  "all",
);

type ListedDelivery = WithAccount<WebhookDelivery>;
const withoutAccount = (delivery: WebhookDelivery): ListedDelivery => ({ ...delivery, account: undefined });

const columns: readonly Column<ListedDelivery>[] = [
  {
    title: text.change,
    isHeading: true,
    cell: ({ type, sequence, account }) => (
      <>
        {type === null ? text.unknown : textOfType(type)} <span class="muted">{sequence}</span>
        {account && (
          <p>
            <AccountLink account={account} />
          </p>
        )}
      </>
    ),
  },
  {
    title: labels.status,
    cell: ({ status }) => <span class={`state together ${status}`}>{text.statuses[status]}</span>,
  },
  { title: text.attempts, isNumber: true, cell: ({ attempts }) => formatCount(attempts) },
  { title: text.response, class: "detail", cell: (delivery) => <Response delivery={delivery} /> },
  { title: text.time, cell: ({ attemptedAt }) => <Age timestamp={attemptedAt} /> },
  {
    title: text.next,
    cell: ({ nextAttemptAt: at }) =>
      at !== null && Date.parse(at) <= Date.now() ? text.due : <Age timestamp={at} />,
  },
];

/** The outcome of the last attempt; it opens the beginning of the response. */
function Response({ delivery }: { delivery: WebhookDelivery }) {
  const outcome = textOfOutcome(delivery);
  if (outcome === undefined) return noValue;
  if (delivery.responseBody === null || delivery.responseBody === "") return outcome;
  return (
    <details>
      <summary>{outcome}</summary>
      <ResponseBody body={delivery.responseBody} />
    </details>
  );
}

type DeliveriesCardProps = {
  webhook: Webhook;
  /** The rows are read again when it changes. */
  version: number;
  onChanged: () => void;
};

/** The deliveries of a webhook, the newest first. A delivery that has ended can be sent again. */
export function DeliveriesCard({ webhook: { id, active }, version, onChanged }: DeliveriesCardProps) {
  const { can } = useSession();
  const { status: chosen } = readView(usePlace().query, { status: deliveryParameter });
  const status = chosen === "all" ? undefined : chosen;
  const { error, run } = useAction();
  const list = useCursorList<ListedDelivery>(
    async (page, signal) => {
      const query = { ...page, ...(status && { status }) };
      const { data, pagination } = await readDeliveries(id, query, signal);
      const named = can("read") ? await withAccounts(data, signal) : data.map(withoutAccount);
      return { data: named, pagination };
    },
    [id, status, version],
    pageSize,
  );
  async function retry(deliveryId: number): Promise<void> {
    const params = { path: { webhookId: id, deliveryId } };
    await api.POST("/api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/retry", { params });
    showSaved(text.retried);
    onChanged();
  }
  const actions = actionColumn<ListedDelivery>(({ sequence, status, type }) =>
    active && type !== null && status !== "delivered"
      ? [
          {
            text: text.retry,
            label: text.retryOf(sequence),
            run: () => void run(() => retry(sequence)),
          },
        ]
      : [],
  );
  return (
    <Card
      title={text.title}
      actions={
        <div class="row">
          <ParameterSelect label={labels.status} parameter="status" options={statusOptions} value={chosen} />
          <button type="button" onClick={onChanged}>
            {text.refresh}
          </button>
        </div>
      }
    >
      {error !== undefined && <ProblemNotice error={error} />}
      <LoadedTable
        name={text.title}
        list={list}
        height={16}
        empty={
          <Empty
            title={status ? text.noneOf[status] : text.none}
            advice={status ? text.meaningOf[status] : text.noneAdvice}
          />
        }
        class="records deliveries stacking"
        columns={[...columns, actions]}
        keyOf={({ sequence }) => sequence}
      />
    </Card>
  );
}
