import { formatAge, formatDate, formatTime } from "../format.ts";

/** A timestamp as its age, such as "3 days ago". The title has the time. */
export function Age({ timestamp, class: name }: { timestamp: string; class?: string }) {
  return (
    <time class={name} dateTime={timestamp} title={formatTime(timestamp)}>
      {formatAge(timestamp)}
    </time>
  );
}

/** A timestamp as its local date. The title has the time. */
export function LocalDate({ timestamp, class: name }: { timestamp: string; class?: string }) {
  return (
    <time class={name} dateTime={timestamp} title={formatTime(timestamp)}>
      {formatDate(timestamp)}
    </time>
  );
}
