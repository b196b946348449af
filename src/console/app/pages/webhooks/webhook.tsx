import { useState } from "preact/hooks";
import { ProblemError } from "../../../../../clients/typescript/src/problem.ts";
import { api } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Empty, Loaded, PageTitle } from "../../components/layout.tsx";
import { Popover } from "../../components/popover.tsx";
import { ProblemNotice } from "../../components/problem.tsx";
import { showSaved } from "../../components/saved-note.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { components, webhooks as text } from "../../messages/messages.ts";
import { navigate } from "../../router.ts";
import { useSession } from "../../session.ts";
import { useAction, useRequest } from "../../use-request.ts";
import { DeliveriesCard } from "./deliveries.tsx";
import { ReplayDialog, TestDialog } from "./dialogs.tsx";
import { Facts } from "./facts.tsx";
import { WebhookDialog } from "./form.tsx";
import type { Webhook, WebhookSettings, WebhookWithSecret } from "./requests.ts";
import { hostOf } from "./webhook-state.ts";

/** A webhook: its settings, what can be done with it, and its deliveries. */
export function WebhookPage({ id }: { id: number }) {
  const [version, setVersion] = useState(0);
  const onChanged = () => setVersion((before) => before + 1);
  const params = { path: { webhookId: id } };
  const state = useRequest(
    async (signal) => (await api.GET("/api/v1/webhooks/{webhookId}", { params, signal })).data.data,
    [id, version],
  );
  if (state.error instanceof ProblemError && state.error.status === 404)
    return (
      <>
        <PageTitle title={text.missing} />
        <Empty title={text.missingAdvice} advice={<a href="/console/webhooks">{text.all}</a>} />
      </>
    );
  return (
    <>
      <p>
        <a href="/console/webhooks">{text.all}</a>
      </p>
      <PageTitle title={state.data?.description ?? (state.data ? hostOf(state.data.url) : text.title)}>
        {state.data && <Actions webhook={state.data} onChanged={onChanged} />}
      </PageTitle>
      <div class="stack">
        <Loaded state={state} height={10}>
          {(webhook) => <Facts webhook={webhook} version={version} />}
        </Loaded>
        {state.data && <DeliveriesCard webhook={state.data} version={version} onChanged={onChanged} />}
      </div>
    </>
  );
}

type ActionsProps = { webhook: Webhook; onChanged: () => void };
type OpenDialog = "edit" | "test" | "rotate" | "replay" | "delete";

function Actions({ webhook, onChanged }: ActionsProps) {
  const { can } = useSession();
  const [open, setOpen] = useState<OpenDialog>();
  const [rotated, setRotated] = useState<WebhookWithSecret>();
  const { error, run } = useAction();
  const close = () => setOpen(undefined);
  const params = { path: { webhookId: webhook.id } };
  async function change(body: Partial<WebhookSettings> & { active?: boolean }): Promise<void> {
    await api.PATCH("/api/v1/webhooks/{webhookId}", { params, body });
    onChanged();
  }
  async function setActive(active: boolean): Promise<void> {
    await change({ active });
    showSaved(active ? text.resumed : text.paused);
  }
  const inMenu = [
    ["replay", text.replay.action],
    ["rotate", text.rotate.action],
    ["delete", text.remove.action],
  ] as const;
  return (
    <div class="row">
      <button type="button" onClick={() => setOpen("test")}>
        {text.test.action}
      </button>
      <button type="button" onClick={() => run(() => setActive(!webhook.active))}>
        {webhook.active ? text.pause : text.resume}
      </button>
      <button type="button" onClick={() => setOpen("edit")}>
        {components.edit}
      </button>
      <Popover label={components.more}>
        {(closeMenu) =>
          inMenu
            .filter(([action]) => action !== "replay" || can("read"))
            .map(([action, label]) => (
              <button
                key={action}
                type="button"
                class={action === "delete" ? "danger" : undefined}
                onClick={() => {
                  closeMenu();
                  setOpen(action);
                }}
              >
                {label}
              </button>
            ))
        }
      </Popover>
      {error !== undefined && <ProblemNotice error={error} />}
      {open === "test" && <TestDialog webhook={webhook} onClose={close} />}
      {open === "edit" && <WebhookDialog webhook={webhook} onSubmit={change} onClose={close} />}
      {open === "rotate" && (
        <FormDialog
          title={text.rotate.action}
          savedText={null}
          onSubmit={async () =>
            setRotated((await api.POST("/api/v1/webhooks/{webhookId}/rotate", { params })).data.data)
          }
          onClose={close}
        >
          <p>{text.rotate.text}</p>
        </FormDialog>
      )}
      {open === "replay" && <ReplayDialog webhook={webhook} onReplayed={onChanged} onClose={close} />}
      {open === "delete" && (
        <FormDialog
          title={text.remove.action}
          isDangerous
          onSubmit={async () => {
            await api.DELETE("/api/v1/webhooks/{webhookId}", { params });
            navigate("/console/webhooks");
          }}
          onClose={close}
        >
          <p>
            <strong>{webhook.url}</strong>
          </p>
          <p>{text.remove.text}</p>
        </FormDialog>
      )}
      {rotated && open === undefined && (
        <SecretDialog
          {...text.secret}
          secret={rotated.secret}
          onClose={() => {
            setRotated(undefined);
            onChanged();
          }}
        />
      )}
    </div>
  );
}
