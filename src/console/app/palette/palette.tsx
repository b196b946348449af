import "../styles/palette.css";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { maxSearchLength } from "../address.ts";
import { Icon } from "../components/icon.tsx";
import { fields, layout, palette as text } from "../messages/messages.ts";
import { useSession } from "../session.ts";
import { entryAfter, matchingEntries } from "./entries.ts";
import type { PaletteCommands, PaletteEntry, PaletteGroup } from "./entry.ts";
import { useFound } from "./search.ts";

const { titles } = fields;
const listId = "palette-list";
const idOf = ({ key }: PaletteEntry) => `palette-${key}`;

/** A modal dialog with a combobox: its list has the pages, the actions, the accounts and the contacts of a text. */
export function Palette({ pages, actions, onClose }: PaletteCommands & { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [input, setInput] = useState("");
  const [activeKey, setActiveKey] = useState<string>();
  const search = input.trim();
  const found = useFound(useSession().can("read") ? search : "");
  const groups: PaletteGroup[] = [
    { label: text.groups.pages, entries: matchingEntries(pages, search) },
    { label: text.groups.actions, entries: matchingEntries(actions, search) },
    { label: titles.account, entries: found.accounts.entries },
    { label: titles.contact, entries: found.contacts.entries },
  ].filter(({ entries }) => entries.length > 0);
  const entries = groups.flatMap((group) => group.entries);
  const active = entries.find(({ key }) => key === activeKey) ?? entries[0];
  // Before the next key: it is a part of the text.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    document.getElementById(active ? idOf(active) : "")?.scrollIntoView({ block: "nearest" });
  }, [active?.key]);

  /** The dialog is closed first: the focus is back where it was. */
  function run(entry: PaletteEntry | undefined): void {
    if (!entry) return;
    dialog.current?.close();
    entry.run();
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") run(active);
    else if (event.key === "ArrowDown") setActiveKey(entryAfter(entries, active?.key, 1)?.key);
    else if (event.key === "ArrowUp") setActiveKey(entryAfter(entries, active?.key, -1)?.key);
    else return;
    event.preventDefault();
  }
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={text.title}
      onClose={onClose}
      // A click outside closes it too.
      closedby="any"
    >
      <input
        type="text"
        role="combobox"
        aria-label={text.label}
        aria-expanded={entries.length > 0}
        aria-controls={entries.length > 0 ? listId : undefined}
        aria-activedescendant={active && idOf(active)}
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck={false}
        placeholder={text.placeholder}
        maxLength={maxSearchLength}
        value={input}
        onInput={(event) => {
          setInput(event.currentTarget.value);
          setActiveKey(undefined);
        }}
        onKeyDown={onKeyDown}
      />
      {entries.length > 0 && (
        <div id={listId} role="listbox" aria-label={text.title}>
          {groups.map(({ label, entries }) => (
            // biome-ignore lint/a11y/useSemanticElements: a listbox has groups of options, and no fieldset.
            <div key={label} role="group" aria-label={label}>
              <p aria-hidden="true">{label}</p>
              {entries.map((entry) => (
                <Option
                  key={entry.key}
                  entry={entry}
                  isActive={entry === active}
                  onPoint={() => setActiveKey(entry.key)}
                  onRun={() => run(entry)}
                />
              ))}
            </div>
          ))}
        </div>
      )}
      <PaletteStatus search={search} count={entries.length} found={found} />
    </dialog>
  );
}

type OptionProps = { entry: PaletteEntry; isActive: boolean; onPoint: () => void; onRun: () => void };

function Option({ entry: { icon, label, detail }, entry, isActive, onPoint, onRun }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the focus stays in the combobox, which has the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: the combobox refers to the active option.
    <div
      id={idOf(entry)}
      role="option"
      aria-selected={isActive}
      onMouseMove={onPoint}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onRun}
    >
      <Icon name={icon} />
      <span>{label}</span>
      {detail && <span class="hint">{detail}</span>}
    </div>
  );
}

type PaletteStatusProps = { search: string; count: number; found: ReturnType<typeof useFound> };

/** What a screen reader announces after the text was changed, failures included, and the keys. */
function PaletteStatus({ search, count, found: { accounts, contacts } }: PaletteStatusProps) {
  const isLoading = accounts.isLoading || contacts.isLoading;
  const failures = [
    { error: accounts.error, message: text.accountsFailed, retry: accounts.reload },
    { error: contacts.error, message: text.contactsFailed, retry: contacts.reload },
  ].filter(({ error }) => error !== undefined);
  const result = count === 0 ? text.nothing(search) : text.count(count);
  return (
    <footer aria-busy={isLoading}>
      {failures.map(({ message, retry }) => (
        <p key={message} class="failure" role="alert">
          {message}{" "}
          <button type="button" class="quiet" onClick={retry}>
            {layout.tryAgain}
          </button>
        </p>
      ))}
      <p role="status">
        {isLoading ? text.searching : (search !== "" || count === 0) && failures.length === 0 && result}
      </p>
      <p class="keys">
        {text.keys.map(([key, effect]) => (
          <span key={key}>
            <kbd>{key}</kbd> {effect}
          </span>
        ))}
      </p>
    </footer>
  );
}
