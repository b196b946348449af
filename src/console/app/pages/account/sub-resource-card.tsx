import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { resources, type SubResourceName } from "../../../../shared/resources.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Card, LoadedRows } from "../../components/layout.tsx";
import { CreateDialog, EditDialog } from "../../editing/edit-dialog.tsx";
import { account as accountTexts, editing, fields } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { useCursorList } from "../../use-request.ts";
import { editable, type RowGroup, readRows, rowGroups, type SubResourceRow } from "./resources.ts";
import { nameOfRow, type RowAction, RowList } from "./row-list.tsx";

const text = accountTexts.rows;
const { newRow, editRow, deleteRow } = editing;
const pageSize = 5;
const titleOf = (name: SubResourceName) => fields.titles[resources[name].noun];

type Open = { action: "create" } | { action: RowAction; row: SubResourceRow };

type SubResourceCardProps = {
  name: SubResourceName;
  accountId: number;
  /** The rows are read again when it changes. */
  version: number;
  onChanged: () => void;
};

/** The rows of a sub-resource of an account in their groups, with its dialogs. */
export function SubResourceCard({ name, accountId, version, onChanged }: SubResourceCardProps) {
  const resource = editable(name);
  const canWrite = useSession().can("write");
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const newButton = useRef<HTMLButtonElement>(null);
  const isRowDeleted = useRef(false);
  /** The button that opened the dialog was removed with its row, and the focus with it. */
  function restoreFocus(): void {
    if (!isRowDeleted.current || document.activeElement !== document.body) return;
    newButton.current?.focus();
    isRowDeleted.current = false;
  }
  const { noun } = resource;
  return (
    <Card
      title={titleOf(name)}
      actions={
        canWrite && (
          <button ref={newButton} type="button" onClick={() => setOpen({ action: "create" })}>
            {newRow(noun)}
          </button>
        )
      }
    >
      {rowGroups[name].map((group) => (
        <Group
          key={group.title}
          {...{ name, accountId, version, group }}
          onAction={canWrite ? (action, row) => setOpen({ action, row }) : undefined}
          onLoaded={restoreFocus}
        />
      ))}
      {open?.action === "create" && (
        <CreateDialog resource={resource} accountId={accountId} onSaved={onChanged} onClose={close} />
      )}
      {open?.action === "edit" && (
        <EditDialog
          title={editRow(noun)}
          resource={resource}
          id={open.row.id}
          onSaved={onChanged}
          onClose={close}
        />
      )}
      {open?.action === "delete" && (
        <FormDialog
          title={deleteRow(noun)}
          savedText={accountTexts.removed}
          isDangerous
          onSubmit={async () => {
            await resource.delete(open.row.id);
            isRowDeleted.current = true;
            onChanged();
          }}
          onClose={close}
        >
          <p>
            {text.removeText.before}
            <strong>{nameOfRow(open.row)}</strong>
            {text.removeText.after}
          </p>
        </FormDialog>
      )}
    </Card>
  );
}

type GroupProps = Omit<SubResourceCardProps, "onChanged"> & {
  group: RowGroup;
  onAction: ((action: RowAction, row: SubResourceRow) => void) | undefined;
  onLoaded: () => void;
};

/** A heading with its rows. A group without rows has the text of the group, or nothing. */
function Group({ name, accountId, version, group: { title, empty, query }, onAction, onLoaded }: GroupProps) {
  // One time for all pages: a cursor belongs to its filter.
  const now = useMemo(() => new Date().toISOString(), [accountId, version]);
  const list = useCursorList<SubResourceRow>(
    (page, signal) => readRows(name, accountId, { ...query(now), ...page }, signal),
    [accountId, version],
    pageSize,
    `${name} ${title}`,
  );
  useEffect(onLoaded, [list.data]);
  if (list.data?.rows.length === 0) return empty === "" ? null : <p class="hint">{empty}</p>;
  return (
    <>
      {title !== "" && <h3 class="group">{title}</h3>}
      <LoadedRows list={list} noun={titleOf(name)} height={6}>
        {(rows) => <RowList resource={name} rows={rows} onAction={onAction} />}
      </LoadedRows>
    </>
  );
}
