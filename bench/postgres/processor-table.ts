import type { ProcessorTime, Row } from "../results.ts";

/** The processor time of a request, and of a second without requests: a column for each contestant. */
export function processorTable(rows: Row[], idle: Record<string, ProcessorTime>): string {
  const measured = rows.filter(({ cells }) => cells.some(({ processor }) => processor !== undefined));
  const names = [...new Set(measured.flatMap(({ cells }) => cells.map(({ contestant }) => contestant)))];
  const line = (title: string, cells: string[]) =>
    title.padEnd(45) + cells.map((text) => text.padStart(18)).join("");
  return [
    line("µs of processor for each request", names),
    line("", Array(names.length).fill("own + server")),
    line(
      "a second without requests",
      names.map((name) => processorText(idle[name])),
    ),
    ...measured.map(({ title, cells }) =>
      line(
        title,
        names.map((name) => {
          const cell = cells.find(({ contestant }) => contestant === name);
          return processorText(cell?.failure === undefined ? cell?.processor : undefined);
        }),
      ),
    ),
  ].join("\n");
}

/** The time of the contestant, and that of its database server if it is known. */
export function processorText(time: ProcessorTime | undefined): string {
  if (!time) return "–";
  const { contestant, server } = time;
  const textOf = (value: number) => Math.round(value).toLocaleString("en");
  return server === undefined ? textOf(contestant) : `${textOf(contestant)} + ${textOf(server)}`;
}
