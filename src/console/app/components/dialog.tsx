import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { FieldProblemsContext, hasInput, memberOfInput } from "../editing/form-field.tsx";
import {
  type FieldProblems,
  type FormProblem,
  formProblemOf,
  withoutField,
} from "../editing/form-problem.ts";
import { editing as text } from "../messages/messages.ts";
import { askBeforeLeaving } from "../router.ts";
import { ProblemNotice } from "./problem.tsx";
import { showSaved } from "./saved-note.tsx";

const noProblems: FieldProblems = new Map();
/** Closes the dialog, after a question if it has edited inputs. */
const LeaveContext = createContext(() => {});

/** The element that gets the focus back from a dialog that is being removed. */
let replacedOpener: Element | null = null;

type DialogProps = {
  title: string;
  /** Whether what was typed is stored: then it closes without a question. */
  isSaved?: boolean;
  /** False: Escape, the browser's request to close and "×" do not close it. */
  isClosable?: boolean;
  onClose: () => void;
  children: ComponentChildren;
};

/**
 * A modal dialog. The browser keeps the focus inside. Escape, Back and the buttons that close it ask first if an input
 * was edited.
 */
export function Dialog({ title, isSaved = false, isClosable = true, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const [isEdited, setIsEdited] = useState(false);
  /** What is done if the question is answered by Discard; undefined if it is not asked. */
  const [discard, setDiscard] = useState<() => void>();
  // Not `useEffect`: the effect of a dialog in place of another one may run before the cleanup of that one.
  useLayoutEffect(() => {
    // A dialog in place of another one has its opener.
    const opener = replacedOpener ?? document.activeElement;
    element.current?.showModal();
    // Not before the dialog is removed: until then the browser keeps the focus inside. Another page has its own focus.
    const restore = () => {
      replacedOpener = null;
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    };
    return () => {
      replacedOpener = opener;
      setTimeout(restore);
    };
  }, []);
  function leave(): void {
    if (!isClosable) return;
    if (isEdited && !isSaved) setDiscard(() => onClose);
    else onClose();
  }
  useEffect(() => {
    if (!isEdited || isSaved) return undefined;
    return askBeforeLeaving((leavePage) =>
      setDiscard(() => () => {
        onClose();
        leavePage();
      }),
    );
  }, [isEdited, isSaved]);
  // Before the next key: it may follow the first input.
  useLayoutEffect(() => {
    // Before the browser reads the key as a request to close, which it lets a page decline only once.
    const onKeyDown = (event: KeyboardEvent) => {
      const isInFront = [...document.querySelectorAll("dialog:modal")].at(-1) === element.current;
      if (event.key !== "Escape" || event.defaultPrevented || !isInFront) return;
      event.preventDefault();
      leave();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  });
  return (
    <dialog
      ref={element}
      aria-label={title}
      closedby={isClosable ? "closerequest" : "none"}
      onClose={onClose}
      onCancel={(event) => {
        // The event of an input for files bubbles.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        leave();
      }}
      onInput={() => setIsEdited(true)}
    >
      <header>
        <h2>{title}</h2>
        {isClosable && (
          <button type="button" class="quiet" aria-label={text.close} onClick={leave}>
            ×
          </button>
        )}
      </header>
      <LeaveContext.Provider value={leave}>{children}</LeaveContext.Provider>
      {discard && <DiscardQuestion onDiscard={discard} onClose={() => setDiscard(undefined)} />}
    </dialog>
  );
}

function DiscardQuestion({ onDiscard, onClose }: { onDiscard: () => void; onClose: () => void }) {
  return (
    <Dialog title={text.discardTitle} onClose={onClose}>
      <p>{text.discardText}</p>
      <footer>
        <button type="button" onClick={onDiscard}>
          {text.discard}
        </button>
        <button type="button" class="primary" autofocus onClick={onClose}>
          {text.keepEditing}
        </button>
      </footer>
    </Dialog>
  );
}

type DialogFormProps = {
  submitLabel: string;
  isDangerous?: boolean;
  onSubmit: (values: FormData) => Promise<void>;
  children: ComponentChildren;
};
type FormDialogProps = Omit<DialogFormProps, "onSubmit" | "submitLabel"> & {
  title: string;
  /** Default: the title. */
  submitLabel?: string;
  /** Sends the request. `isOpen` returns whether the dialog is still shown. */
  onSubmit: (values: FormData, isOpen: () => boolean) => Promise<void>;
  onClose: () => void;
  /** The note after the request; null: none. */
  savedText?: string | null;
};

/** Returns a function that returns whether the component is still shown: a late response must not close another dialog. */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  return () => isShown.current;
}

/** A dialog with a form. `onSubmit` sends the request; the dialog closes after it, or shows its problem. */
export function FormDialog({
  title,
  submitLabel = title,
  onSubmit,
  onClose,
  isDangerous = false,
  savedText = isDangerous ? text.done : text.saved,
  ...form
}: FormDialogProps) {
  const isOpen = useIsShown();
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        {...form}
        submitLabel={submitLabel}
        isDangerous={isDangerous}
        onSubmit={async (values) => {
          await onSubmit(values, isOpen);
          if (savedText !== null) showSaved(savedText);
          if (isOpen()) onClose();
        }}
      />
    </Dialog>
  );
}

/** The form of a dialog. `onSubmit` sends the request and closes the dialog; if it throws, the problem is shown. */
export function DialogForm({ submitLabel, isDangerous = false, onSubmit, children }: DialogFormProps) {
  const leave = useContext(LeaveContext);
  const form = useRef<HTMLFormElement>(null);
  const [failure, setFailure] = useState<{ error: unknown; problem: FormProblem | undefined }>();
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [failure?.error]);
  /** Removes the problem of a field that is corrected, and the notice after the last one. */
  function onInput({ target }: Event): void {
    const member = memberOfInput(target);
    if (!failure?.problem?.fields.has(member)) return;
    const problem = withoutField(failure.problem, member);
    setFailure(problem && { ...failure, problem });
  }
  async function submit(event: SubmitEvent & { currentTarget: HTMLFormElement }): Promise<void> {
    event.preventDefault();
    const { currentTarget } = event;
    setIsBusy(true);
    setFailure(undefined);
    try {
      await onSubmit(new FormData(currentTarget));
    } catch (error) {
      setFailure({ error, problem: formProblemOf(error, (member) => hasInput(currentTarget, member)) });
    }
    setIsBusy(false);
  }
  return (
    <form ref={form} onSubmit={submit} onInput={onInput}>
      {failure && <ProblemNotice {...failure} />}
      <FieldProblemsContext.Provider value={failure?.problem?.fields ?? noProblems}>
        {children}
      </FieldProblemsContext.Provider>
      <footer>
        <button type="button" onClick={leave}>
          {text.cancel}
        </button>
        <button type="submit" class={isDangerous ? "primary danger" : "primary"} disabled={isBusy}>
          {isBusy ? text.saving : submitLabel}
        </button>
      </footer>
    </form>
  );
}
