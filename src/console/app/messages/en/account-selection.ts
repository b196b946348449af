import { subResourceNames } from "../../../../shared/resources.ts";
import { formatCount } from "../../format.ts";

const accounts = (count: number) => (count === 1 ? "1 account" : `${formatCount(count)} accounts`);
const verb = (count: number, one: string, many: string) => (count === 1 ? one : many);

/** The selected rows of the table of accounts, and the dialogs that edit and delete them. */
export const accountSelection = {
  selectAll: "Select all accounts of this page",
  select: (name: string) => `Select ${name}`,
  selected: (count: number) => `${formatCount(count)} selected`,
  clear: "Clear",
  clearSelection: "Clear selection",
  review: "Review changes",
  noValue: "No value",
  valueHint: "Without a value, the accounts lose the attribute.",
  unchanged: "No change",
  nothingChosen: "Choose a status or an attribute.",
  editTitle: (count: number) => `Edit ${accounts(count)}`,
  deleteTitle: (count: number) => `Delete ${accounts(count)}`,
  willChange: (count: number) => `${accounts(count)} will be changed.`,
  willDelete: (count: number) =>
    `${accounts(count)} will be deleted with their ${subResourceNames.join(", ")}, usage and scores. This cannot be undone.`,
  becomes: (label: string, value: string) => `${label} becomes ${value}.`,
  removed: (label: string) => `${label} is removed.`,
  alreadySo: (count: number) => `${accounts(count)} already ${verb(count, "has", "have")} these values.`,
  willFail: (count: number) => `${accounts(count)} cannot be changed:`,
  failed: (count: number) => `${accounts(count)} could not be changed:`,
  edited: (count: number) => `${accounts(count)} ${verb(count, "was", "were")} changed.`,
  deleted: (count: number) => `${accounts(count)} ${verb(count, "was", "were")} deleted.`,
  failure: (name: string, reason: string) => `${name}: ${reason}`,
  more: (count: number) => `and ${formatCount(count)} more`,
};
