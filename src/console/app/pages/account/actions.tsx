import { useState } from "preact/hooks";
import { FormDialog } from "../../components/dialog.tsx";
import { Popover } from "../../components/popover.tsx";
import { CreateDialog, type EditableResource, EditDialog } from "../../editing/edit-dialog.tsx";
import { msPerMeeting } from "../../editing/form-field.tsx";
import { components, account as text } from "../../messages/messages.ts";
import { navigate } from "../../router.ts";
import { useSession } from "../../session.ts";
import { accountResource, editable } from "./resources.ts";
import type { Account } from "./summary.tsx";

/** A contact is a meeting that has begun: its form has the title and the start. */
function contactResource(isPinned: boolean): EditableResource {
  const meetings = editable("meetings");
  const fields = meetings.fields.flatMap((field) => {
    if (field.name === "title") return [field];
    const hint = isPinned ? { hint: text.pinnedHint } : {};
    return field.name === "startAt" ? [{ ...field, label: text.when, ...hint }] : [];
  });
  return {
    ...meetings,
    fields,
    initial: { startAt: new Date().toISOString() },
    create: (accountId, { startAt = null, ...members }) => {
      const endAt = new Date(Date.parse(String(startAt)) + msPerMeeting).toISOString();
      return meetings.create(accountId, { ...members, startAt, endAt });
    },
  };
}

type AccountActionsProps = { account: Account; onChanged: () => void };

/** What the key may do with the account. What cannot be undone is in a menu. */
export function AccountActions({ account, onChanged }: AccountActionsProps) {
  const canWrite = useSession().can("write");
  const [open, setOpen] = useState<"contact" | "edit" | "delete">();
  const close = () => setOpen(undefined);
  if (!canWrite) return null;
  return (
    <div class="row">
      <button type="button" class="primary" onClick={() => setOpen("contact")}>
        {text.logContact}
      </button>
      <button type="button" onClick={() => setOpen("edit")}>
        {text.edit}
      </button>
      <Popover label={components.more}>
        {(closeMenu) => (
          <button
            type="button"
            class="quiet danger"
            onClick={() => {
              closeMenu();
              setOpen("delete");
            }}
          >
            {text.remove}
          </button>
        )}
      </Popover>
      {open === "contact" && (
        <CreateDialog
          title={text.logContact}
          submitLabel={text.logContact}
          resource={contactResource(account.contactActivity?.source === "api")}
          accountId={account.id}
          onSaved={onChanged}
          onClose={close}
        />
      )}
      {open === "edit" && (
        <EditDialog
          title={text.edit}
          resource={accountResource}
          id={account.id}
          onSaved={onChanged}
          onClose={close}
        />
      )}
      {open === "delete" && (
        <FormDialog
          title={text.remove}
          savedText={text.removed}
          isDangerous
          onSubmit={async () => {
            await accountResource.delete(account.id);
            // Unless the reader has left the page. The dialog may be closed.
            if (location.pathname === `/console/accounts/${account.id}`) navigate("/console/accounts");
          }}
          onClose={close}
        >
          <p>
            {text.removeText.before}
            <strong>{account.name}</strong>
            {text.removeText.after}
          </p>
        </FormDialog>
      )}
    </div>
  );
}
