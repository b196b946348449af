import type { ComponentChildren } from "preact";
import type { ResourceField } from "../../../shared/fields/field.ts";
import { formatMember } from "../editing/member-text.ts";
import type { MemberValue } from "../editing/members.ts";
import { formatDate, formatTime } from "../format.ts";

/** The value of a field on the screen, by the kind of the field. */
export function fieldValue(
  name: string,
  { kind, valueLabels, input, hasTime }: ResourceField,
  value: MemberValue | undefined,
): ComponentChildren {
  if (value === undefined || value === null) return <span class="muted">–</span>;
  if (kind === "choice") return <span class="together">{valueLabels?.[String(value)] ?? value}</span>;
  if (kind === "timestamp") return <TimeValue timestamp={String(value)} hasTime={hasTime} />;
  if (input?.format === "email") return <a href={`mailto:${encodeURIComponent(String(value))}`}>{value}</a>;
  return kind === "text" ? value : formatMember(name, value);
}

/** A timestamp as its local date. The title has the time. */
function TimeValue({ timestamp, hasTime = false }: { timestamp: string; hasTime?: boolean | undefined }) {
  return (
    <time class="together" dateTime={timestamp} title={formatTime(timestamp)}>
      {hasTime ? formatTime(timestamp) : formatDate(timestamp)}
    </time>
  );
}
