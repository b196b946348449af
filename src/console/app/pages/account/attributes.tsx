import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { Card, Empty } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { EditDialog } from "../../editing/edit-dialog.tsx";
import { formatMember } from "../../editing/members.ts";
import { messages } from "../../messages/messages.ts";
import { useSession } from "../../session.ts";
import { useRequest } from "../../use-request.ts";
import { accountAttributes } from "./resources.ts";

const text = messages.account.attributes;

type Attribute = string | number | boolean;

const columnsOf = (labels: ReadonlyMap<string, string>): Column<[string, Attribute]>[] => [
  { title: text.name, isHeading: true, cell: ([name]) => labels.get(name) ?? name },
  { title: text.value, cell: ([name, value]) => formatMember(`attributes.${name}`, value) },
];

/** The labels of declared attributes by their names. */
async function loadLabels(signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const params = { query: { resource: "accounts" as const } };
  const { data } = await api.GET("/api/v1/attributes", { params, signal });
  return new Map(data.data.flatMap(({ name, label }) => (label == null ? [] : [[name, label] as const])));
}

type AttributesCardProps = {
  accountId: number;
  attributes: Readonly<Record<string, Attribute>>;
  onChanged: () => void;
};

export function AttributesCard({ accountId, attributes, onChanged }: AttributesCardProps) {
  const canWrite = useSession().can("write");
  const [isOpen, setIsOpen] = useState(false);
  const labels = useRequest(loadLabels, []).data ?? new Map();
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
        <Table label={text.table} columns={columnsOf(labels)} rows={entries} />
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
