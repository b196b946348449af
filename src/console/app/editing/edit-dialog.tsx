import { useState } from "preact/hooks";
import { ProblemError } from "../../../../clients/typescript/src/problem.ts";
import { Dialog, DialogForm, FormDialog, useIsShown } from "../components/dialog.tsx";
import { Loaded } from "../components/layout.tsx";
import { ProblemNotice } from "../components/problem.tsx";
import { showSaved } from "../components/saved-note.tsx";
import { type Column, Table } from "../components/table.tsx";
import { editing as text } from "../messages/messages.ts";
import { labelOfMember } from "../pages/accounts/attribute-text.ts";
import { useAction, useRequest } from "../use-request.ts";
import { AttributeFields } from "./attribute-fields.tsx";
import { Fields } from "./form-field.tsx";
import { type Field, readAttributes, readFields } from "./form-values.ts";
import {
  changesBetween,
  differingNames,
  type EditableRow,
  formatMember,
  type RowMembers,
} from "./members.ts";

type ConflictProps = {
  /** As the row was when the dialog opened. */
  base: RowMembers;
  theirs: RowMembers;
  /** The members that were edited here. */
  changes: RowMembers;
  onOverwrite: () => Promise<void>;
  onKeep: () => void;
};

/** Both versions of a row after a 412, member by member, and the choice between them. */
function Conflict({ base, theirs, changes, onOverwrite, onKeep }: ConflictProps) {
  const { error, isRunning, run } = useAction();
  const mine = { ...base, ...changes };
  const names = differingNames(theirs, mine);

  const columns: Column<string>[] = [
    { title: text.conflict.field, isHeading: true, cell: labelOfMember },
    { title: text.conflict.theirs, cell: (name) => formatMember(name, theirs[name]) },
    {
      title: text.conflict.mine,
      cell: (name) => (
        <>
          {formatMember(name, mine[name])}
          {!(name in changes) && <span class="hint"> {text.conflict.unchanged}</span>}
        </>
      ),
    },
  ];

  return (
    <div class="conflict">
      {error !== undefined && <ProblemNotice error={error} />}
      <p role="alert">{names.length > 0 ? text.conflict.differs : text.conflict.same}</p>
      {names.length > 0 && <Table label={text.conflict.versions} columns={columns} rows={names} />}
      <footer>
        <button type="button" onClick={onKeep}>
          {text.conflict.keep}
        </button>
        <button type="button" class="primary" disabled={isRunning} onClick={() => run(onOverwrite)}>
          {isRunning ? text.saving : text.conflict.overwrite}
        </button>
      </footer>
    </div>
  );
}

/** The operations of a resource that dialogs use. */
export type EditableResource = {
  /** In the singular: "contact". */
  noun: string;
  fields: readonly Field[];
  /** Whose attribute names are suggested; absent: the dialog has no attributes. */
  attributesOf?: "accounts" | "contacts";
  /** The values of the form of a new row. */
  initial: RowMembers;
  /** Reads the editable members, attributes included, and the entity tag. */
  read: (id: number, signal?: AbortSignal) => Promise<EditableRow>;
  /** Sends the changes with `If-Match`. */
  update: (id: number, changes: RowMembers, etag: string) => Promise<unknown>;
  create: (accountId: number, members: RowMembers) => Promise<unknown>;
  delete: (id: number) => Promise<unknown>;
};

/** The members in `form`; those without an input are as in `base`. */
function readForm({ fields, attributesOf }: EditableResource, form: FormData, base: RowMembers): RowMembers {
  const members = readFields(fields, form, base);
  return attributesOf === undefined ? members : readAttributes(form, members);
}

function Inputs({ resource, members }: { resource: EditableResource; members: RowMembers }) {
  return (
    <>
      {resource.fields.length > 0 && <Fields fields={resource.fields} members={members} />}
      {resource.attributesOf !== undefined && (
        <AttributeFields
          members={members}
          resource={resource.attributesOf}
          isWhole={resource.fields.length === 0}
        />
      )}
    </>
  );
}

type EditDialogProps = {
  title: string;
  resource: EditableResource;
  id: number;
  onSaved: () => void;
  onClose: () => void;
};

/**
 * Edits a row as it is stored now. After a 412 both versions are shown; `onSaved` is called after every close that
 * follows a change, by this dialog or by another client.
 */
export function EditDialog({ title, resource, id, onSaved, onClose }: EditDialogProps) {
  const base = useRequest((signal) => resource.read(id, signal), [id]);
  const [conflict, setConflict] = useState<{ theirs: EditableRow; changes: RowMembers }>();
  const isOpen = useIsShown();

  function finish(): void {
    onSaved();
    if (isOpen()) onClose();
  }
  /** Resolves with false after a 412, when both versions are shown. */
  async function save(changes: RowMembers, etag: string): Promise<boolean> {
    try {
      if (Object.keys(changes).length > 0) {
        await resource.update(id, changes, etag);
        showSaved();
      }
      return true;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== "precondition_failed") throw error;
      setConflict({ theirs: await resource.read(id), changes });
      return false;
    }
  }

  return (
    <Dialog title={conflict ? text.conflict.title(title) : title} onClose={conflict ? finish : onClose}>
      <Loaded state={base} height={10}>
        {(stored) =>
          conflict ? (
            <Conflict
              base={stored.members}
              theirs={conflict.theirs.members}
              changes={conflict.changes}
              onOverwrite={async () => {
                if (await save(conflict.changes, conflict.theirs.etag)) finish();
              }}
              onKeep={finish}
            />
          ) : (
            <DialogForm
              submitLabel={text.save}
              onSubmit={async (form) => {
                const mine = readForm(resource, form, stored.members);
                if (await save(changesBetween(stored.members, mine), stored.etag)) finish();
              }}
            >
              <Inputs resource={resource} members={stored.members} />
            </DialogForm>
          )
        }
      </Loaded>
    </Dialog>
  );
}

type CreateDialogProps = {
  title?: string;
  submitLabel?: string;
  resource: EditableResource;
  accountId: number;
  onSaved: () => void;
  onClose: () => void;
};

export function CreateDialog({
  resource,
  title = text.newRow(resource.noun),
  submitLabel = text.createRow(resource.noun),
  accountId,
  onSaved,
  onClose,
}: CreateDialogProps) {
  return (
    <FormDialog
      title={title}
      submitLabel={submitLabel}
      onSubmit={async (form) => {
        const members = Object.entries(readForm(resource, form, resource.initial));
        await resource.create(accountId, Object.fromEntries(members.filter(([, value]) => value !== null)));
        onSaved();
      }}
      onClose={onClose}
    >
      <Inputs resource={resource} members={resource.initial} />
    </FormDialog>
  );
}
