import { useEffect, useRef, useState } from "preact/hooks";
import { resourceOf, type SubResourceName } from "../../../../shared/resources.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { Card, Empty, Loaded } from "../../components/card.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
import { CreateDialog, EditDialog } from "../../editing/edit-dialog.tsx";
import { useSession } from "../../session.ts";
import { useCursorList } from "../../use-cursor-list.ts";
import { readRows, type SubResourceRow, subResourceOf } from "./resources.ts";
import { columnsOf, nameOf } from "./sub-resources.tsx";

type Open = { action: "create" } | { action: "edit" | "delete"; row: SubResourceRow };

/** The rows of a sub-resource of an account, with its dialogs. */
export function SubResourceCard({
  name,
  accountId,
  onChanged,
}: {
  name: SubResourceName;
  accountId: number;
  onChanged: () => void;
}) {
  const resource = subResourceOf(name);
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
      <Loaded state={list} height={12}>
        {({ rows, nextCursor }) =>
          rows.length === 0 ? (
            <Empty title={`No ${title.toLowerCase()} yet`}>
              <p>{hint}</p>
            </Empty>
          ) : (
            <>
              <ScrollArea label={`${title}, table`}>
                <table>
                  <thead>
                    <tr>
                      {columns.map((column) => (
                        <th key={column.title} scope="col" class={column.isNumber ? "number" : undefined}>
                          {column.title}
                        </th>
                      ))}
                      {canWrite && <ActionsHeader />}
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.id}>
                        {columns.map((column) => (
                          <td key={column.title} class={column.isNumber ? "number" : undefined}>
                            {column.cell(row)}
                          </td>
                        ))}
                        {canWrite && (
                          <RowActions name={nameOf(row)} onOpen={(action) => setOpen({ action, row })} />
                        )}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollArea>
              {nextCursor !== null && (
                <button type="button" class="more" disabled={list.isLoading} onClick={list.showMore}>
                  Show more {title.toLowerCase()}
                </button>
              )}
            </>
          )
        }
      </Loaded>
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

function RowActions({ name, onOpen }: { name: string; onOpen: (action: "edit" | "delete") => void }) {
  return (
    <td class="row-actions">
      <button type="button" class="quiet" aria-label={`Edit ${name}`} onClick={() => onOpen("edit")}>
        Edit
      </button>
      <button type="button" class="quiet" aria-label={`Delete ${name}`} onClick={() => onOpen("delete")}>
        Delete
      </button>
    </td>
  );
}
