import { useState } from "preact/hooks";
import { Card, Empty } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { EditDialog } from "../../editing/edit-dialog.tsx";
import { attributeTypeNames, attributeTypeOf, formatMember } from "../../editing/members.ts";
import { useSession } from "../../session.ts";
import { accountAttributes } from "./resources.ts";

type Attribute = string | number | boolean;

const columns: readonly Column<[string, Attribute]>[] = [
  { title: "Name", isHeading: true, cell: ([name]) => name },
  { title: "Type", cell: ([, value]) => attributeTypeNames[attributeTypeOf(value)] },
  { title: "Value", cell: ([name, value]) => formatMember(`attributes.${name}`, value) },
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
      title="Attributes"
      actions={
        canWrite && (
          <button type="button" onClick={() => setIsOpen(true)}>
            Edit attributes
          </button>
        )
      }
    >
      {entries.length === 0 ? (
        <Empty title="No attributes yet">
          <p>Add your own fields, such as an owner, a plan or a renewal date.</p>
        </Empty>
      ) : (
        <Table label="Attributes, table" columns={columns} rows={entries} />
      )}
      {isOpen && (
        <EditDialog
          title="Edit attributes"
          resource={accountAttributes}
          id={accountId}
          onSaved={onChanged}
          onClose={() => setIsOpen(false)}
        />
      )}
    </Card>
  );
}
