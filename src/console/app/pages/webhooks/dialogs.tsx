import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Dialog, FormDialog } from "../../components/dialog.tsx";
import { Loaded } from "../../components/layout.tsx";
import { showSaved } from "../../components/saved-note.tsx";
import { FormField } from "../../editing/form-field.tsx";
import { localTimeOf } from "../../editing/form-values.ts";
import { timeZoneName } from "../../format.ts";
import { editing, webhooks as text } from "../../messages/messages.ts";
import { useRequest } from "../../use-request.ts";
import { replaySince, type Webhook } from "./requests.ts";
import { textOfOutcome } from "./webhook-state.ts";

const msPerHour = 3_600_000;

type OpenDialogProps = { webhook: Webhook; onClose: () => void };

/** Sends a sample when it is opened, and shows the outcome. */
export function TestDialog({ webhook, onClose }: OpenDialogProps) {
  const params = { path: { webhookId: webhook.id } };
  const state = useRequest(
    async (signal) => (await api.POST("/api/v1/webhooks/{webhookId}/test", { params, signal })).data.data,
    [],
    { isLive: false },
  );
  return (
    <Dialog title={text.test.title} onClose={onClose}>
      {state.isLoading ? (
        <p role="status">{text.test.sending}</p>
      ) : (
        <Loaded state={state} height={3}>
          {(test) => (
            <div role="status">
              <p>
                <strong class={`state ${test.status}`}>
                  {test.status === "delivered" ? text.test.delivered : text.test.failed}
                </strong>
              </p>
              <p class="hint">{textOfOutcome(test)}</p>
              <ResponseBody body={test.responseBody} />
            </div>
          )}
        </Loaded>
      )}
      <footer>
        <button type="button" disabled={state.isLoading} onClick={state.reload}>
          {text.test.again}
        </button>
        <button type="button" class="primary" onClick={onClose}>
          {editing.close}
        </button>
      </footer>
    </Dialog>
  );
}

/** The first part of a response, as text. Nothing without one. */
export function ResponseBody({ body }: { body: string | null }) {
  if (body === null || body === "") return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
    <section class="response-body" aria-label={text.deliveries.body} tabIndex={0}>
      <pre>{body}</pre>
    </section>
  );
}

/** Delivers the changes since a time again. */
export function ReplayDialog({ webhook, onReplayed, onClose }: OpenDialogProps & { onReplayed: () => void }) {
  const [hourAgo] = useState(() => localTimeOf(new Date(Date.now() - msPerHour).toISOString()));
  async function submit(values: FormData): Promise<void> {
    const after = await replaySince(webhook.id, String(values.get("since")));
    onReplayed();
    showSaved(text.replay.done(after));
  }
  return (
    <FormDialog title={text.replay.action} savedText={null} onSubmit={submit} onClose={onClose}>
      <FormField name="since" label={text.replay.since} hint={editing.timeZone(timeZoneName())}>
        {(input) => <input {...input} type="datetime-local" required defaultValue={hourAgo} />}
      </FormField>
      <p class="hint">{text.replay.text}</p>
    </FormDialog>
  );
}
