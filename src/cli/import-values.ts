import type { AttributeType } from "../../db/schema.ts";
import { attributePrefix } from "../core/attributes.ts";
import { unescapeFormula } from "../exports/formats.ts";
import type { MappedColumn } from "./import-columns.ts";

/** A number as spreadsheets and JSON write it. */
export const numberText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The members of a line of CSV, or the reason why it is rejected. An empty field is not sent. */
export function readCells(
  columns: readonly MappedColumn[],
  cells: readonly string[],
): { row: Record<string, unknown> } | { fault: string } {
  const row: Record<string, unknown> = {};
  for (const { member, type, index, choices } of columns) {
    const text = unescapeFormula(cells[index] ?? "");
    if (text === "") continue;
    const value = convertText(text, type);
    if (value === undefined) return { fault: notConverted(member, type, text) };
    setMember(row, member, choiceOf(text, choices) ?? value);
  }
  return { row };
}

/** The value of a fixed list that a text has in any case. */
function choiceOf(text: string, choices: readonly string[] | undefined): string | undefined {
  return choices?.find((choice) => choice.toLowerCase() === text.toLowerCase());
}

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

/** The value of a text: undefined if it has none of the type. */
export function convertText(text: string, type: AttributeType): string | number | boolean | undefined {
  if (type === "string") return text;
  const trimmed = text.trim();
  if (type === "number") return numberText.test(trimmed) ? Number(trimmed) : undefined;
  return booleans.get(trimmed.toLowerCase());
}

/** Why a text is rejected for the type. Without the text. */
export function notConverted(member: string, type: AttributeType, text: string): string {
  if (type !== "number") return `${member} must be true or false`;
  const advice = /\d,\d/.test(text) ? " with a decimal point and without commas, such as 1250.5" : "";
  return `${member} must be a number${advice}`;
}

/** Sets a member of a row, or one of its attributes. */
export function setMember(row: Record<string, unknown>, member: string, value: unknown): void {
  if (!member.startsWith(attributePrefix)) row[member] = value;
  else row.attributes = { ...asObject(row.attributes), [member.slice(attributePrefix.length)]: value };
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
