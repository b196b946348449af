import type { NamedAccount } from "../account-names.ts";
import { maxSearchLength, readView, searchParameter } from "../address.ts";
import { fields } from "../messages/messages.ts";
import { setQuery, usePlace } from "../router.ts";
import { Select } from "./select.tsx";
import type { Column } from "./table.tsx";
import { noValue } from "./values.tsx";

/**
 * The search of a list: the parameter `search` of the address. Further typing is no new entry of the history. Enter and
 * Escape leave the field, so that the keys of a table work again.
 */
export function SearchInput({ id, label }: { id?: string; label: string }) {
  const { search } = readView(usePlace().query, searchParameter);
  return (
    <input
      id={id}
      type="search"
      class="find"
      aria-label={label}
      placeholder={label}
      maxLength={maxSearchLength}
      autocomplete="off"
      spellcheck={false}
      value={search}
      onInput={({ currentTarget: { value } }) =>
        setQuery({ search: value || undefined }, { isReplaced: search !== "" && value !== "" })
      }
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Enter" || key === "Escape") currentTarget.blur();
      }}
    />
  );
}

type ParameterSelectProps<Value extends string> = {
  label: string;
  /** The parameter of the address. The first option is its absence. */
  parameter: string;
  options: readonly (readonly [value: Value, text: string])[];
  value: Value;
};

/** A choice that is a parameter of the address. */
export function ParameterSelect<Value extends string>({
  label,
  parameter,
  options,
  value,
}: ParameterSelectProps<Value>) {
  return (
    <Select
      aria-label={label}
      options={options}
      value={value}
      onChange={(chosen) => setQuery({ [parameter]: chosen === options[0]?.[0] ? undefined : chosen })}
    />
  );
}

/** The name of an account as a link to its page. */
export function AccountLink({ account }: { account: NamedAccount | undefined }) {
  return account ? <a href={`/console/accounts/${account.id}`}>{account.name}</a> : noValue;
}

/** The accounts of the rows of a list. */
export const accountColumn: Column<{ account: NamedAccount | undefined }> = {
  title: fields.labels.accountId,
  class: "account-name",
  cell: ({ account }) => <AccountLink account={account} />,
};
