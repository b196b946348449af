import { api } from "../../api.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Fields } from "../../editing/form-field.tsx";
import { type Field, initialOf, inputsOf, readFields } from "../../editing/form-values.ts";
import { bodyOf } from "../../editing/members.ts";
import { accounts as text } from "../../messages/messages.ts";
import { navigate } from "../../router.ts";

const fields = inputsOf("accounts", { isNew: true });
const contactFields: readonly Field[] = [
  { name: "contactName", kind: "text" },
  { name: "contactEmail", kind: "email" },
];

/** Creates an account and opens its page, unless the dialog was closed meanwhile. `onCreated` is called before. */
export function CreateAccountDialog({ onCreated, onClose }: { onCreated?: () => void; onClose: () => void }) {
  async function create(values: FormData, isOpen: () => boolean): Promise<void> {
    const members = Object.entries(readFields([...fields, ...contactFields], values, initialOf("accounts")));
    const sent = members.map(([name, value]) => [name, typeof value === "string" ? value.trim() : value]);
    const { data } = await api.POST("/api/v1/accounts", {
      body: bodyOf(Object.fromEntries(sent.filter(([, value]) => value !== null && value !== ""))),
    });
    onCreated?.();
    if (!isOpen()) return;
    // First: behind the dialog, the page could not get the focus.
    onClose();
    navigate(`/console/accounts/${data.data.id}`);
    scrollTo(0, 0);
  }
  return (
    <FormDialog title={text.create} onSubmit={create} onClose={onClose}>
      <Fields fields={fields} members={initialOf("accounts")} />
      <p class="hint">{text.externalIdHint}</p>
      <Fields fields={contactFields} members={{}} hasFocus={false} />
    </FormDialog>
  );
}
