import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * A button that opens a box below it. Escape, a click outside and leaving it by the keyboard close it. `children` gets a
 * function that closes it.
 */
export function Popover({
  label,
  isActive = false,
  isAtEnd = false,
  children,
}: {
  label: ComponentChildren;
  /** Whether what the box sets is in effect. */
  isActive?: boolean;
  /** Aligned to the end of the button. */
  isAtEnd?: boolean;
  children: (close: () => void) => ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const onPointer = (event: Event) => {
      const element = details.current;
      if (element?.open && event.target instanceof Node && !element.contains(event.target))
        element.open = false;
    };
    document.addEventListener("pointerdown", onPointer);
    document.addEventListener("focusin", onPointer);
    return () => {
      document.removeEventListener("pointerdown", onPointer);
      document.removeEventListener("focusin", onPointer);
    };
  }, []);
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
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }}
    >
      <summary class="button">{label}</summary>
      <div class={isAtEnd ? "card end" : "card"}>{children(close)}</div>
    </details>
  );
}
