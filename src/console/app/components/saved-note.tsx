import { useEffect, useState } from "preact/hooks";
import { editing } from "../messages/messages.ts";
import { useEvent } from "../use-event.ts";

const secondsShown = 4;

/** Reports a finished save to the reader. */
export function showSaved(text: string = editing.saved): void {
  dispatchEvent(new CustomEvent("saved", { detail: text }));
}

/** The note of the last save, for some seconds. Screen readers announce it. Shown once, by the frame of the pages. */
export function SavedNote() {
  // Another object for each save: the same text is shown as long again.
  const [note, setNote] = useState<{ text: string }>();
  useEvent<CustomEvent<string>>(window, "saved", ({ detail }) => setNote({ text: detail }));
  useEffect(() => {
    const timer = setTimeout(setNote, secondsShown * 1000, undefined);
    return () => clearTimeout(timer);
  }, [note]);
  return (
    <div class="saved-note" role="status">
      {note && <p>{note.text}</p>}
    </div>
  );
}
