import { useState } from "preact/hooks";
import { Card, Empty } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { EditDialog } from "../../editing/edit-dialog.tsx";
import { formatMember } from "../../editing/members.ts";
import { messages } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { accountAttributes } from "./resources.ts";

const text = messages.account.attributes;

type Attribute = string | number | boolean;

const columns: readonly Column<[string, Attribute]>[] = [
  { title: text.name, isHeading: true, cell: ([name]) => name },
  { title: text.value, cell: ([name, value]) => formatMember(`attributes.${name}`, value) },
];

type AttributesCardProps = {
  accountId: number;
  attributes: Readonly<Record<string, Attribute>>;
  onChanged: () => void;
};

export function AttributesCard({ accountId, attributes, onChanged }: AttributesCardProps) {
  const canWrite = useSession().can("write");
  const [isOpen, setIsOpen] = useState(false);
  const entries = Object.entries(attributes);
  return (
    <Card
      title={messages.fields.attributes}
      actions={
        canWrite && (
          <button type="button" onClick={() => setIsOpen(true)}>
            {text.edit}
          </button>
        )
      }
    >
      {entries.length === 0 ? (
        <Empty title={text.empty}>
          <p>{text.advice}</p>
        </Empty>
      ) : (
        <Table label={text.table} columns={columns} rows={entries} />
      )}
      {isOpen && (
        <EditDialog
          title={text.edit}
          resource={accountAttributes}
          id={accountId}
          onSaved={onChanged}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Card>
  );
}
