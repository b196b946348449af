import { useState } from "preact/hooks";
import { Choices } from "../../components/choices.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { Select } from "../../components/select.tsx";
import { FormField } from "../../editing/form-field.tsx";
import { editing, webhooks as text } from "../../messages/messages.ts";
import { type ChangeType, typeGroups } from "./change-types.ts";
import type { Webhook, WebhookSettings } from "./requests.ts";
import { hostOf } from "./webhook-state.ts";

const formats = (["accountd", "cloudevents", "slack"] as const).map(
  (format) => [format, text.formats[format]] as const,
);
const slackHost = "hooks.slack.com";
const orders = (["account", "strict"] as const).map((order) => [order, text.orders[order]] as const);

type WebhookDialogProps = {
  /** Absent: a new one. */
  webhook?: Webhook;
  onSubmit: (settings: WebhookSettings) => Promise<void>;
  onClose: () => void;
};

/** The settings of a webhook as a form. */
export function WebhookDialog({ webhook, onSubmit, onClose }: WebhookDialogProps) {
  // Safe: the server has the types of the document only.
  const [types, setTypes] = useState((webhook?.types ?? null) as readonly ChangeType[] | null);
  const [chosenFormat, setFormat] = useState(webhook?.format);
  const [isSlackUrl, setIsSlackUrl] = useState(false);
  const format = chosenFormat ?? (isSlackUrl ? "slack" : "accountd");
  const [ordered, setOrdered] = useState(webhook?.ordered ?? "account");
  async function submit(values: FormData): Promise<void> {
    const [url, description] = [String(values.get("url")), String(values.get("description"))];
    await onSubmit({
      url,
      description: description === "" ? null : description,
      types: types && [...types],
      format,
      ordered,
    });
  }
  return (
    <FormDialog
      title={webhook ? text.form.edit : text.form.create}
      submitLabel={webhook ? editing.save : text.form.create}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormField name="url" hint={text.form.urlHint}>
        {(input) => (
          <input
            {...input}
            type="url"
            required
            autofocus
            autocomplete="off"
            defaultValue={webhook?.url}
            onInput={({ currentTarget }) => setIsSlackUrl(hostOf(currentTarget.value) === slackHost)}
          />
        )}
      </FormField>
      <FormField name="description">
        {(input) => (
          <input
            {...input}
            maxLength={1_000}
            autocomplete="off"
            placeholder={text.form.descriptionPlaceholder}
            defaultValue={webhook?.description ?? ""}
          />
        )}
      </FormField>
      <TypeChoice types={types} onChange={setTypes} />
      <div class="fields">
        <Select label={text.format} name="format" options={formats} value={format} onChange={setFormat} />
        <Select label={text.order} name="ordered" options={orders} value={ordered} onChange={setOrdered} />
      </div>
      <p class="hint">{text.form.orderHint}</p>
    </FormDialog>
  );
}

type TypeChoiceProps = {
  /** Null: all. */
  types: readonly ChangeType[] | null;
  onChange: (types: readonly ChangeType[] | null) => void;
};

/** The types of changes in their groups, behind a checkbox for all of them. */
function TypeChoice({ types, onChange }: TypeChoiceProps) {
  return (
    <fieldset class="checks">
      <legend>{text.types}</legend>
      <label>
        <input
          type="checkbox"
          checked={types === null}
          ref={(input) => input?.setCustomValidity(types?.length === 0 ? text.form.noType : "")}
          onChange={() => onChange(types === null ? [] : null)}
        />
        <span>{text.form.all}</span>
      </label>
      {types !== null && (
        <div class="type-groups">
          {typeGroups.map((group) => (
            <Choices
              key={group.title}
              legend={group.title}
              options={group.types.map(({ type, label }) => [type, label])}
              chosen={types}
              onChange={onChange}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}
