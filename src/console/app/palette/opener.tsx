import { useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { shell as text } from "../messages/messages.ts";
import { useEvent } from "../use-event.ts";
import type { PaletteCommands } from "./entry.ts";
import { Palette } from "./palette.tsx";

const isMac = /^Mac|^iPhone|^iPad/.test(navigator.platform);

/** The search of every page: a button that opens the palette, as Ctrl K and Cmd K do. */
export function PaletteOpener(commands: PaletteCommands) {
  const [{ count, isOpen }, setOpening] = useState({ count: 0, isOpen: false });
  const open = () => setOpening((last) => ({ count: last.count + 1, isOpen: true }));
  // The browser reports that a palette was closed later: another one may be open.
  const close = () => setOpening((last) => (last.count === count ? { count, isOpen: false } : last));
  useEvent<KeyboardEvent>(document, "keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    const shown = document.querySelector<HTMLDialogElement>("dialog[open]");
    if (shown?.classList.contains("palette")) shown.close();
    else if (!shown) open();
  });
  return (
    <>
      <button
        type="button"
        class="search"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        <Icon name="search" /> {text.search} <kbd>{isMac ? text.searchKeysOnMac : text.searchKeys}</kbd>
      </button>
      {isOpen && <Palette key={count} {...commands} onClose={close} />}
    </>
  );
}
