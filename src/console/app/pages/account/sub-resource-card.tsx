import { useEffect, useRef, useState } from "preact/hooks";
import type { ResourceField, ResourceFields } from "../../../../shared/fields/field.ts";
import { attributePrefix } from "../../../../shared/file-fields.ts";
import { fieldsOf, resourceOf, type SubResourceName } from "../../../../shared/resources.ts";
import { FormDialog } from "../../components/dialog.tsx";
import { Card, Empty, LoadedRows } from "../../components/layout.tsx";
import { actionColumn, type Column, Table } from "../../components/table.tsx";
import { fieldValue } from "../../components/values.tsx";
import { CreateDialog, EditDialog } from "../../editing/edit-dialog.tsx";
import { formatMember, hasLabel, labelOf, membersOf } from "../../editing/members.ts";
import { useSession } from "../../session.ts";
import { useCursorList } from "../../use-request.ts";
import { editable, readRows, type SubResourceRow } from "./resources.ts";

type Open = { action: "create" } | { action: "edit" | "delete"; row: SubResourceRow };

const words = { edit: "Edit", delete: "Delete" } as const;

type SubResourceCardProps = { name: SubResourceName; accountId: number; onChanged: () => void };

/** The rows of a sub-resource of an account, with its dialogs. */
export function SubResourceCard({ name, accountId, onChanged }: SubResourceCardProps) {
  const resource = editable(name);
  const columns = columnsOf(name);
  const { hint, ...names } = resourceOf(name);
  const title = `${names.title}s`;
  const canWrite = useSession().can("write");
  const list = useCursorList<SubResourceRow>(
    (page, signal) => readRows(name, accountId, page, signal),
    [accountId],
  );
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const onSaved = () => {
    list.reload();
    onChanged();
  };
  const newButton = useRef<HTMLButtonElement>(null);
  const isRowDeleted = useRef(false);
  useEffect(() => {
    // The button that opened the dialog was removed with its row, and the focus with it.
    if (isRowDeleted.current && document.activeElement === document.body) newButton.current?.focus();
    isRowDeleted.current = false;
  }, [list.data]);
  const { noun } = resource;
  const actions = actionColumn<SubResourceRow>(
    (row) =>
      (["edit", "delete"] as const).map((action) => ({
        text: words[action],
        label: `${words[action]} ${nameOf(row)}`,
        run: () => setOpen({ action, row }),
      })),
    "row-actions",
  );
  return (
    <Card
      title={title}
      actions={
        canWrite && (
          <button ref={newButton} type="button" onClick={() => setOpen({ action: "create" })}>
            New {noun}
          </button>
        )
      }
    >
      <LoadedRows
        list={list}
        noun={title.toLowerCase()}
        height={12}
        empty={
          <Empty title={`No ${title.toLowerCase()} yet`}>
            <p>{hint}</p>
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label={`${title}, table`}
            columns={canWrite ? [...columns, actions] : columns}
            rows={rows}
            keyOf={({ id }) => id}
          />
        )}
      </LoadedRows>
      {open?.action === "create" && (
        <CreateDialog resource={resource} accountId={accountId} onSaved={onSaved} onClose={close} />
      )}
      {open?.action === "edit" && (
        <EditDialog
          title={`Edit ${noun}`}
          resource={resource}
          id={open.row.id}
          onSaved={onSaved}
          onClose={close}
        />
      )}
      {open?.action === "delete" && (
        <FormDialog
          title={`Delete ${noun}`}
          submitLabel={`Delete ${noun}`}
          isDangerous
          onSubmit={async () => {
            await resource.delete(open.row.id);
            isRowDeleted.current = true;
            onSaved();
          }}
          onClose={close}
        >
          <p>
            Delete <strong>{nameOf(open.row)}</strong>? This cannot be undone.
          </p>
        </FormDialog>
      )}
    </Card>
  );
}

/** The name of the row, and its other texts below. */
function RowTitle({ row, texts }: { row: SubResourceRow; texts: FieldEntry[] }) {
  return (
    <>
      {nameOf(row)}
      {texts.map(
        ([id, field]) =>
          row[id] != null && (
            <span key={id} class="hint below">
              {id === "externalId" ? <code>{row[id]}</code> : fieldValue(id, field, row[id])}
            </span>
          ),
      )}
    </>
  );
}

/** The first time, and the others below with their names. */
function Times({ row, times: [first, ...others] }: { row: SubResourceRow; times: FieldEntry[] }) {
  return (
    <>
      {first && fieldValue(...first, row[first[0]])}
      {others.map(
        ([id, field]) =>
          row[id] != null && (
            <span key={id} class="hint below">
              {labelOf(id)} {fieldValue(id, field, row[id])}
            </span>
          ),
      )}
    </>
  );
}

function AttributeList({ row }: { row: object }) {
  const attributes = Object.entries(membersOf(row)).filter(([name]) => name.startsWith(attributePrefix));
  if (attributes.length === 0) return "–";
  return attributes.map(([name, value]) => (
    <span class="below" key={name}>
      <span class="hint">{labelOf(name)}</span> {formatMember(name, value)}
    </span>
  ));
}

function nameOf({ name, title, id }: SubResourceRow): string {
  return String(name ?? title ?? id);
}

type FieldEntry = [name: string, field: ResourceField];

/** The columns of a list by the kinds of the fields: the name of the row with its other texts, values, and times. */
function columnsOf(resource: SubResourceName): Column<SubResourceRow>[] {
  const {
    id: _,
    accountId: __,
    createdAt,
    updatedAt,
    name,
    title,
    ...others
  }: ResourceFields = fieldsOf(resource);
  const shown = Object.entries(others).filter(([id, { kind }]) => hasLabel(id) || kind === "attributes");
  const ofKind = (...kinds: string[]) => shown.filter(([, { kind }]) => kinds.includes(kind));
  const texts = ofKind("text");
  const times = ofKind("timestamp");
  return [
    { title: labelOf(name ? "name" : "title"), cell: (row) => <RowTitle row={row} texts={texts} /> },
    ...ofKind("attributes").map(() => ({
      title: "Attributes",
      cell: (row: SubResourceRow) => <AttributeList row={row} />,
    })),
    ...ofKind("choice", "number", "integer").map(([id, field]) => ({
      title: labelOf(id),
      isNumber: field.kind !== "choice",
      cell: (row: SubResourceRow) => fieldValue(id, field, row[id]),
    })),
    ...times.slice(0, 1).map(([id]) => ({
      title: labelOf(id),
      cell: (row: SubResourceRow) => <Times row={row} times={times} />,
    })),
  ];
}
