import { useEffect, useRef, useState } from "preact/hooks";
import { maxSearchLength } from "../../address.ts";
import { Popover } from "../../components/popover.tsx";
import { formatCount } from "../../format.ts";
import { useDebounced } from "../../use-request.ts";
import { AttributeFilterForm } from "./attribute-filter.tsx";
import { type AccountColumn, defaultColumns, type ListedAttribute } from "./columns.tsx";
import { Choices, FieldFilter } from "./filter-forms.tsx";
import { filters } from "./filters.ts";
import { activeFilters, changeView, clearFilters, type View } from "./view.ts";

type Change = (view: View, options?: { isReplaced?: boolean }) => void;

type FilterBarProps = {
  view: View;
  onChange: Change;
  attributes: readonly ListedAttribute[];
  total: number | undefined;
  columns: readonly AccountColumn[];
  chosen: readonly string[];
  onChoose: (ids: readonly string[]) => void;
};

/** The search, the filters, those in effect, and the columns. */
export function FilterBar({ view, onChange, attributes, total, columns, chosen, onChoose }: FilterBarProps) {
  const active = activeFilters(view);
  const choices = (
    <div class="row">
      {filters.map((filter) => (
        <FieldFilter key={filter.field} filter={filter} view={view} onChange={onChange} />
      ))}
      {attributes.length > 0 && (
        <AttributeFilterForm view={view} onChange={onChange} attributes={attributes} />
      )}
    </div>
  );
  return (
    <section class="filter-bar" aria-label="Search and filters">
      <div class="row">
        <Search view={view} onChange={onChange} />
        {useIsNarrow() ? (
          <details class="filters">
            <summary class="button">{active.length > 0 ? `Filters (${active.length})` : "Filters"}</summary>
            {choices}
          </details>
        ) : (
          choices
        )}
        <span class="total" role="status">
          {total !== undefined && (total === 1 ? "1 account" : `${formatCount(total)} accounts`)}
        </span>
        <Popover label="Columns">
          {() => (
            <>
              <Choices
                legend="Columns"
                class="checks long"
                options={columns.map(({ id, title }) => [id, title])}
                chosen={chosen}
                onChange={onChoose}
              />
              <button type="button" onClick={() => onChoose(defaultColumns)}>
                Reset
              </button>
            </>
          )}
        </Popover>
      </div>
      {active.length > 0 && (
        <ul class="chips" aria-label="Filters in effect">
          {active.map(({ text, rest }) => (
            <li key={text}>
              <button
                type="button"
                class="chip"
                aria-label={`Remove the filter ${text}`}
                onClick={() => onChange(rest)}
              >
                <span>{text}</span> <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
          <li>
            <button
              type="button"
              class="quiet"
              onClick={() => onChange({ ...clearFilters(view), search: view.search })}
            >
              Clear filters
            </button>
          </li>
        </ul>
      )}
    </section>
  );
}

const debounceMs = 180;

/** The field of the search. The table follows when the typing stops; further typing is no new entry of the history. */
function Search({ view, onChange }: { view: View; onChange: Change }) {
  const [text, setText] = useState(view.search);
  const settled = useDebounced(text, debounceMs);
  const shown = useRef(view.search);
  useEffect(() => {
    if (settled === view.search) return;
    shown.current = settled;
    onChange(changeView(view, { search: settled }), { isReplaced: view.search !== "" && settled !== "" });
  }, [settled]);
  useEffect(() => {
    // The address changed by another way, such as the back button.
    if (view.search !== shown.current) setText(view.search);
    shown.current = view.search;
  }, [view.search]);
  return (
    <input
      id="account-search"
      type="search"
      aria-label="Search accounts by name or external id"
      placeholder="Search name or external id"
      autocomplete="off"
      spellcheck={false}
      maxLength={maxSearchLength}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        // The keys of the table work again.
        if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}

/** Whether the window is too narrow for the filters in a row. */
function useIsNarrow(): boolean {
  const [media] = useState(() => matchMedia("(max-width: 640px)"));
  const [isNarrow, setIsNarrow] = useState(media.matches);
  useEffect(() => {
    const update = () => setIsNarrow(media.matches);
    media.addEventListener("change", update);
    return () => media.removeEventListener("change", update);
  }, [media]);
  return isNarrow;
}
