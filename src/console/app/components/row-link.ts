/** Whether the element has a purpose of its own. */
const controls = "a, button, input, select, label, summary";

/** The link of the row, if the event is a click on the row and not on a control, nor the end of a selection of text. */
function linkOfRow({ target, currentTarget }: MouseEvent): HTMLElement | null {
  if (!(target instanceof Element && currentTarget instanceof Element)) return null;
  if (target.closest(controls) || !getSelection()?.isCollapsed) return null;
  return currentTarget.querySelector<HTMLElement>("th a");
}

/** A click on the row is one on the link in its heading. The middle button opens a new tab, as Ctrl and Meta do. */
function onClick(event: MouseEvent): void {
  const link = linkOfRow(event);
  if (!link || event.button === 2) return;
  const isNewTab = event.button === 1;
  link.focus({ preventScroll: true });
  const { ctrlKey, metaKey, shiftKey } = event;
  const modifiers = { ctrlKey: ctrlKey || isNewTab, metaKey: metaKey || isNewTab, shiftKey };
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...modifiers }));
}

/** Where the middle button would scroll by itself, it would not click. */
function onMouseDown(event: MouseEvent): void {
  if (event.button === 1 && linkOfRow(event)) event.preventDefault();
}

/** The events of a row that opens the link in its heading. Its text can be selected. */
export const rowLinkEvents = { onClick, onAuxClick: onClick, onMouseDown };
