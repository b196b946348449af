import { useState } from "preact/hooks";
import { Card, Empty } from "../../components/card.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
import { EditDialog } from "../../editing/edit-dialog.tsx";
import { formatMember } from "../../editing/member-text.ts";
import { useSession } from "../../session.ts";
import { accountAttributes } from "./resources.ts";

const typeNames = { string: "Text", number: "Number", boolean: "Yes or no" } as const;

type Attribute = string | number | boolean;

function typeNameOf(value: Attribute): string {
  if (typeof value === "number") return typeNames.number;
  return typeof value === "boolean" ? typeNames.boolean : typeNames.string;
}

/** The attributes of the account. */
export function AttributesCard({
  accountId,
  attributes,
  onChanged,
}: {
  accountId: number;
  attributes: Readonly<Record<string, Attribute>>;
  onChanged: () => void;
}) {
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
          <p>Add your own members, such as an owner, a plan or a renewal date.</p>
        </Empty>
      ) : (
        <ScrollArea label="Attributes, table">
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Value</th>
              </tr>
            </thead>
            <tbody>
              {entries.map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{typeNameOf(value)}</td>
                  <td>{formatMember(`attributes.${name}`, value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollArea>
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
