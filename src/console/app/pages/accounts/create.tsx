import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { FormField } from "../../editing/form-field.tsx";
import { navigate } from "../../router.ts";
import { statusNames } from "../../statuses.ts";

/** The statuses that a new account can have. */
const newStatuses = ["active", "onboarding", "churned"] as const;

/** A button and its dialog: creates an account and opens its page. */
export function CreateAccount({ onCreated }: { onCreated: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  async function create(values: FormData): Promise<void> {
    const text = (name: string) => String(values.get(name) ?? "").trim();
    const optional = {
      externalId: text("externalId"),
      contactName: text("contactName"),
      contactEmail: text("contactEmail"),
    };
    const { data } = await api.POST("/api/v1/accounts", {
      body: {
        name: text("name"),
        mrr: Number(text("mrr")),
        status: newStatuses.find((status) => status === text("status")) ?? "active",
        ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== "")),
      },
    });
    onCreated();
    navigate(`/console/accounts/${data.data.id}`);
  }
  return (
    <>
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>
        Create account
      </button>
      {isOpen && (
        <FormDialog
          title="Create account"
          submitLabel="Create account"
          onSubmit={create}
          onClose={() => setIsOpen(false)}
        >
          <FormField name="name">
            {(input) => <input {...input} autofocus required maxLength={255} autocomplete="off" />}
          </FormField>
          <div class="fields three">
            <FormField name="externalId">
              {(input) => <input {...input} maxLength={255} autocomplete="off" spellcheck={false} />}
            </FormField>
            <FormField name="status">
              {(input) => (
                <select {...input}>
                  {newStatuses.map((status) => (
                    <option key={status} value={status}>
                      {statusNames[status]}
                    </option>
                  ))}
                </select>
              )}
            </FormField>
            <FormField name="mrr">
              {(input) => <input {...input} type="number" step="any" required defaultValue="0" />}
            </FormField>
          </div>
          <p class="hint">
            The external id is the account's id in your own systems. Usage events name the account by it.
          </p>
          <div class="fields">
            <FormField name="contactName">
              {(input) => <input {...input} maxLength={255} autocomplete="off" />}
            </FormField>
            <FormField name="contactEmail">
              {(input) => <input {...input} type="email" maxLength={254} autocomplete="off" />}
            </FormField>
          </div>
        </FormDialog>
      )}
    </>
  );
}
