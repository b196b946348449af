import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Fields } from "../../editing/form-field.tsx";
import { type Field, initialOf, inputsOf, readFields } from "../../editing/form-values.ts";
import { bodyOf } from "../../editing/members.ts";
import { navigate } from "../../router.ts";

const fields = inputsOf("accounts", { isNew: true });
const contactFields: readonly Field[] = [
  { name: "contactName", kind: "text" },
  { name: "contactEmail", kind: "email" },
];

/** A button and its dialog: creates an account and opens its page. */
export function CreateAccount({ onCreated }: { onCreated: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  async function create(values: FormData): Promise<void> {
    const members = Object.entries(readFields([...fields, ...contactFields], values, initialOf("accounts")));
    const sent = members.map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]);
    const { data } = await api.POST("/api/v1/accounts", {
      body: bodyOf(Object.fromEntries(sent.filter(([, value]) => value !== null && value !== ""))),
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
          <Fields fields={fields} members={initialOf("accounts")} />
          <p class="hint">
            The external id is the account's id in your own systems. Usage events name the account by it.
          </p>
          <Fields fields={contactFields} members={{}} hasFocus={false} />
        </FormDialog>
      )}
    </>
  );
}
