import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { useEvent } from "../use-event.ts";

type PopoverProps = {
  label: ComponentChildren;
  /** Whether what the box sets is in effect. */
  isActive?: boolean;
  children: (close: () => void) => ComponentChildren;
};

/**
 * A button that opens a box below it. Escape, a click outside and leaving it by the keyboard close it. `children` gets a
 * function that closes it.
 */
export function Popover({ label, isActive = false, children }: PopoverProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setIsAtEnd] = useState(false);
  function closeOutside({ target }: Event): void {
    const element = details.current;
    if (element?.open && target instanceof Node && !element.contains(target)) element.open = false;
  }
  // After the click: the page may move when the box closes.
  useEvent(document, "click", closeOutside);
  useEvent<KeyboardEvent>(document, "keyup", (event) => {
    if (event.key === "Tab") closeOutside(event);
  });
  /** Aligns the box to the end of the button where it would be wider than the window. */
  function align(): void {
    const right = box.current?.getBoundingClientRect().right ?? 0;
    const isOpen = details.current?.open === true;
    setIsAtEnd(isOpen && right > document.documentElement.clientWidth - 8);
  }
  function close(): void {
    const element = details.current;
    if (!element?.open) return;
    element.open = false;
    element.querySelector("summary")?.focus();
  }
  return (
    <details
      ref={details}
      class={isActive ? "popover active" : "popover"}
      onToggle={align}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <summary class="button">{label}</summary>
      <div ref={box} class={isAtEnd ? "card end" : "card"}>
        {children(close)}
      </div>
    </details>
  );
}
