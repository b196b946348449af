import type { ComponentChildren } from "preact";

/** Scrolls sideways instead of the page. The keyboard reaches it, so that it can scroll. */
export function ScrollArea({
  label,
  isTall = false,
  children,
}: {
  label: string;
  /** Scrolls up and down too. */
  isTall?: boolean;
  children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard.
    <section class={isTall ? "scroll tall" : "scroll"} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
