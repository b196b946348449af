import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

/** The heading of a page, which is also the title of the document. */
export function PageTitle({ children, title }: { children?: ComponentChildren; title: string }) {
  useEffect(() => {
    document.title = `${title} – accountd`;
  }, [title]);
  return (
    <div class="page-title">
      <h1>{title}</h1>
      {children}
    </div>
  );
}
