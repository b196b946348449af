import "../../styles/account-filters.css";
import { Choices } from "../../components/choices.tsx";
import { Icon } from "../../components/icon.tsx";
import { SearchInput } from "../../components/list-inputs.tsx";
import { Popover } from "../../components/popover.tsx";
import { accountFilters as text } from "../../messages/messages.ts";
import { removeParameters } from "../../router.ts";
import { AttributeFilterForm } from "./attribute-filter.tsx";
import type { ListedAttribute } from "./attribute-text.ts";
import type { AccountColumn } from "./columns.tsx";
import { FieldFilter } from "./filter-forms.tsx";
import { filters } from "./filters.ts";
import { activeFilters, type View } from "./view.ts";

type FilterBarProps = {
  view: View;
  attributes: readonly ListedAttribute[];
  total: number | undefined;
  columns: readonly AccountColumn[];
  chosen: readonly string[];
  /** Undefined: the default. */
  onChoose: (ids: readonly string[] | undefined) => void;
};

/** The search, the filters, those in effect, and the columns. */
export function FilterBar({ view, attributes, total, columns, chosen, onChoose }: FilterBarProps) {
  const active = activeFilters(view, attributes);
  return (
    <section class="filter-bar" aria-label={text.section}>
      <div class="row">
        <SearchInput id="account-search" label={text.search} />
        <details class="filters">
          <summary class="button">
            <Icon name="filter" />
            {text.filters(active.length)}
          </summary>
          <div class="row">
            {filters.map((filter) => (
              <FieldFilter key={filter.field} filter={filter} view={view} />
            ))}
            {attributes.length > 0 && <AttributeFilterForm view={view} attributes={attributes} />}
          </div>
        </details>
        <span class="total" role="status">
          {total !== undefined && text.accounts(total)}
        </span>
        <Popover
          label={
            <>
              <Icon name="columns" />
              {text.columns}
            </>
          }
        >
          {() => (
            <>
              <Choices
                legend={text.columns}
                class="checks long"
                options={columns.map(({ id, title }) => [id, title])}
                chosen={chosen}
                onChange={onChoose}
              />
              <button type="button" onClick={() => onChoose(undefined)}>
                {text.resetColumns}
              </button>
            </>
          )}
        </Popover>
      </div>
      {active.length > 0 && (
        <ul class="row chips" aria-label={text.inEffect}>
          {active.map(({ text: effect, names }) => (
            <li key={effect}>
              <button
                type="button"
                class="chip"
                aria-label={text.remove(effect)}
                onClick={() => removeParameters(names)}
              >
                <span>{effect}</span> <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
          <li>
            <button type="button" class="quiet" onClick={() => removeParameters(Object.keys(view.filters))}>
              {text.clear}
            </button>
          </li>
        </ul>
      )}
    </section>
  );
}
