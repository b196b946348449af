import { type ComponentChildren, createContext } from "preact";
import { useContext } from "preact/hooks";
import { attributePrefix } from "../../../shared/file-fields.ts";
import { timeZoneName } from "../format.ts";
import { editing } from "../messages/messages.ts";
import type { FieldProblems } from "./form-problem.ts";
import { type Field, localTimeOf, textOf } from "./form-values.ts";
import { labelOf, type RowMembers } from "./members.ts";

export const FieldProblemsContext = createContext<FieldProblems>(new Map());

type ProblemAttributes = { "aria-invalid"?: true; "aria-describedby"?: string };

/** The attributes of the input of a member, and the problem that is shown at it, if there is one. */
export function useFieldProblem(name: string): { attributes: ProblemAttributes; problem: ComponentChildren } {
  const text = useContext(FieldProblemsContext).get(name);
  if (text === undefined) return { attributes: {}, problem: null };
  const id = `problem-${name}`;
  const problem = (
    <small class="field-problem" id={id}>
      {text}
    </small>
  );
  return { attributes: { "aria-invalid": true, "aria-describedby": id }, problem };
}

type InputAttributes = ProblemAttributes & { id: string; name: string };

type FormFieldProps = {
  name: string;
  /** Default: the label of the member. */
  label?: string | undefined;
  hint?: string | undefined;
  children: (input: InputAttributes) => ComponentChildren;
};

/** A field of a form: the label of its member, the input, a hint, and the problem that a reply has with the member. */
export function FormField({ name, label = labelOf(name), hint, children }: FormFieldProps) {
  const { attributes, problem } = useFieldProblem(name);
  const id = `field-${name}`;
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, name, ...attributes })}
      {problem}
      {hint !== undefined && <small class="hint">{hint}</small>}
    </div>
  );
}

export function hasInput(form: HTMLFormElement, member: string): boolean {
  if (!member.startsWith(attributePrefix)) return form.elements.namedItem(member) !== null;
  const names = form.querySelectorAll<HTMLInputElement>('input[name="attribute-name"]');
  return [...names].some(({ value }) => attributePrefix + value === member);
}

/** The member of an input of a form. An attribute has its name in its row. */
export function memberOfInput(target: EventTarget | null): string {
  if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return "";
  const attribute = target.closest(".attribute")?.querySelector("input")?.value;
  return attribute === undefined ? target.name : attributePrefix + attribute;
}

type FieldsProps = { fields: readonly Field[]; members: RowMembers; hasFocus?: boolean };

/** The inputs of a form. The first one gets the focus unless `hasFocus` is false. */
export function Fields({ fields, members, hasFocus = true }: FieldsProps) {
  return (
    <>
      <div class="fields" onInput={proposeEnd}>
        {fields.map((field, i) => (
          <FormField key={field.name} name={field.name} label={field.label} hint={field.hint}>
            {(input) => (
              <Input
                field={field}
                input={input}
                text={textOf(field, members[field.name])}
                isFirst={hasFocus && i === 0}
              />
            )}
          </FormField>
        ))}
      </div>
      {fields.some(({ kind }) => kind === "time") && <p class="hint">{editing.timeZone(timeZoneName())}</p>}
    </>
  );
}

export const msPerMeeting = 30 * 60_000;

/** Half an hour after a start that is entered: the end, until another one is entered. */
function proposeEnd({ target }: Event): void {
  if (!(target instanceof HTMLInputElement) || target.name !== "startAt" || target.value === "") return;
  const end = target.form?.elements.namedItem("endAt");
  if (!(end instanceof HTMLInputElement) || (end.value !== "" && end.value !== end.dataset.proposal)) return;
  end.value = localTimeOf(new Date(Date.parse(target.value) + msPerMeeting).toISOString());
  end.dataset.proposal = end.value;
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}

type InputProps = { field: Field; input: InputAttributes; text: string; isFirst: boolean };

function Input({ field: { kind, isRequired = false, options = [] }, input, text, isFirst }: InputProps) {
  const common = {
    ...input,
    required: isRequired === true || (isRequired === "stored" && text !== ""),
    ...(isFirst && { ref: focus, autofocus: true }),
  };
  if (kind === "choice")
    return (
      <select {...common}>
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={String(value) === text}>
            {label}
          </option>
        ))}
      </select>
    );
  if (kind === "number") return <input {...common} type="number" step="any" defaultValue={text} />;
  if (kind === "time") return <input {...common} type="datetime-local" defaultValue={text} />;
  // Not type=email: it changes an international domain name to its ASCII form.
  return <input {...common} type="text" inputMode={kind} autocomplete="off" defaultValue={text} />;
}
