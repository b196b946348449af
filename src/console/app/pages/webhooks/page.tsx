import "../../styles/webhooks.css";
import { useState } from "preact/hooks";
import { readView } from "../../address.ts";
import { api } from "../../api.ts";
import { Icon } from "../../components/icon.tsx";
import { Empty, Loaded, PageTitle } from "../../components/layout.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { LocalDate } from "../../components/values.tsx";
import { formatCount } from "../../format.ts";
import { fields, webhooks as text } from "../../messages/messages.ts";
import { usePlace } from "../../router.ts";
import { useRequest } from "../../use-request.ts";
import { textOfFirstTypes } from "./change-types.ts";
import { deliveryParameter } from "./deliveries.tsx";
import { State } from "./facts.tsx";
import { WebhookDialog } from "./form.tsx";
import type { Webhook, WebhookWithSecret } from "./requests.ts";
import { WebhookPage } from "./webhook.tsx";

const { labels } = fields;

const isId = (text: string) => /^[1-9]\d{0,15}$/.test(text);
export const webhookParameters = {
  id: { isValue: isId, read: (text: string) => (isId(text) ? Number(text) : undefined) },
  status: deliveryParameter,
};

/** The webhooks of the organization; with `id` in the address, one of them with its deliveries. */
export function WebhooksPage() {
  const { id } = readView(usePlace().query, webhookParameters);
  return id === undefined ? <WebhookList /> : <WebhookPage key={id} id={id} />;
}

const columns: readonly Column<Webhook>[] = [
  {
    title: labels.url,
    isHeading: true,
    cell: ({ id, url, description }) => (
      <>
        <a href={`/console/webhooks?id=${id}`}>{url}</a>
        {description !== null && <p class="hint">{description}</p>}
      </>
    ),
  },
  { title: text.state, cell: (webhook) => <State webhook={webhook} /> },
  {
    title: text.types,
    cell: ({ types }) => (types === null ? text.allTypes : textOfFirstTypes(types)),
  },
  { title: text.format, cell: ({ format }) => text.formats[format] },
  { title: text.pending, isNumber: true, cell: ({ pendingCount }) => formatCount(pendingCount) },
  { title: labels.createdAt, cell: ({ createdAt }) => <LocalDate timestamp={createdAt} /> },
];

function WebhookList() {
  const state = useRequest(async (signal) => {
    // More than an organization can have.
    const query = { pageSize: 100 };
    return (await api.GET("/api/v1/webhooks", { params: { query }, signal })).data.data;
  }, []);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<WebhookWithSecret>();
  return (
    <>
      <PageTitle title={text.title}>
        <button type="button" class="primary" onClick={() => setIsCreating(true)}>
          <Icon name="plus" />
          {text.form.create}
        </button>
      </PageTitle>
      <p class="hint lead">{text.lead}</p>
      <section class="card" aria-label={text.title}>
        <Loaded state={state} height={12}>
          {(webhooks) =>
            webhooks.length === 0 ? (
              <Empty title={text.none} advice={text.noneAdvice} />
            ) : (
              <Table
                name={text.title}
                class="records stacking"
                columns={columns}
                rows={webhooks}
                keyOf={({ id }) => id}
                hasRowLinks
              />
            )
          }
        </Loaded>
      </section>
      {isCreating && (
        <WebhookDialog
          onSubmit={async (body) => {
            const webhook = (await api.POST("/api/v1/webhooks", { body })).data.data;
            // Slack verifies no signatures.
            if (webhook.format !== "slack") setCreated(webhook);
            state.reload();
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
      {created && !isCreating && (
        <SecretDialog {...text.secret} secret={created.secret} onClose={() => setCreated(undefined)} />
      )}
    </>
  );
}
