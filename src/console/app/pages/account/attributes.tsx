import { useState } from "preact/hooks";
import { readAttributes } from "../../attributes.ts";
import { Card, Empty } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { EditDialog } from "../../editing/edit-dialog.tsx";
import { formatMember } from "../../editing/members.ts";
import { account, fields } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { useRequest } from "../../use-request.ts";
import { type ListedAttribute, labelOfAttribute, valueText } from "../accounts/attribute-text.ts";
import { accountAttributes } from "./resources.ts";

const text = account.attributes;

type Attribute = string | number | boolean;

const columnsOf = (declared: readonly ListedAttribute[] = []): Column<[string, Attribute]>[] => [
  {
    title: fields.labels.name,
    isHeading: true,
    cell: ([name]) => labelOfAttribute(name, declared.find((each) => each.name === name)?.label),
  },
  {
    title: fields.value,
    cell: ([name, value]) =>
      declared.find((each) => each.name === name)?.type === "date"
        ? valueText(String(value), "date")
        : formatMember(`attributes.${name}`, value),
  },
];

type AttributesCardProps = {
  accountId: number;
  attributes: Readonly<Record<string, Attribute>>;
  onChanged: () => void;
};

export function AttributesCard({ accountId, attributes, onChanged }: AttributesCardProps) {
  const canWrite = useSession().can("write");
  const [isOpen, setIsOpen] = useState(false);
  const declared = useRequest((signal) => readAttributes("accounts", signal), [], { isLive: false }).data;
  const entries = Object.entries(attributes);
  return (
    <Card
      title={fields.attributes}
      actions={
        canWrite && (
          <button type="button" onClick={() => setIsOpen(true)}>
            {text.edit}
          </button>
        )
      }
    >
      {entries.length === 0 ? (
        <Empty title={text.empty} advice={text.advice} />
      ) : (
        <Table name={fields.attributes} columns={columnsOf(declared)} rows={entries} />
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
