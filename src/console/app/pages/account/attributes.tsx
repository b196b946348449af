import { useState } from "preact/hooks";
import { Card, Empty } from "../../components/card.tsx";
import { ScrollArea } from "../../components/scroll-area.tsx";
import { attributeTypeNames, attributeTypeOf } from "../../editing/attribute-types.ts";
import { EditDialog } from "../../editing/edit-dialog.tsx";
import { formatMember } from "../../editing/member-text.ts";
import { useSession } from "../../session.ts";
import { accountAttributes } from "./resources.ts";

type Attribute = string | number | boolean;

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
          <p>Add your own fields, such as an owner, a plan or a renewal date.</p>
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
                  <td>{attributeTypeNames[attributeTypeOf(value)]}</td>
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
