/** A parameter of a page. `isValue`: whether the page can read the whole text. `read`: the value; of "" if it is missing. */
type Parameter<Value> = { isValue: (text: string) => boolean; read: (text: string) => Value };
export type AddressParameters = Readonly<Record<string, Parameter<unknown>>>;
/** The values of the parameters. */
export type ViewOf<Named extends AddressParameters> = {
  [Name in keyof Named]: ReturnType<Named[Name]["read"]>;
};

/** `ignored`: the parameters that the page does not read. `rest`: the query without them. */
export type AddressCheck = { ignored: string[]; rest: URLSearchParams };

export type SortOrder = "asc" | "desc";
export type TableOrder = { sortBy: string; sortOrder: SortOrder };

/** A parameter with some values. `initial`: what is shown without one of them. */
export function oneOf<Value extends string, Initial extends string>(
  values: readonly Value[],
  initial: Initial,
): Parameter<Value | Initial> {
  const find = (text: string) => values.find((value) => value === text);
  return { isValue: (text) => find(text) !== undefined, read: (text) => find(text) ?? initial };
}

export const orderParameter = (initial: SortOrder) => oneOf(["asc", "desc"] as const, initial);

/** The longest text that the API searches for. */
export const maxSearchLength = 255;

/** The text to search for; cut where it is too long. */
export const searchParameter = {
  search: {
    isValue: (text: string) => text.length <= maxSearchLength,
    read: (text: string) => text.slice(0, maxSearchLength),
  },
};

export function readView<Named extends AddressParameters>(
  query: URLSearchParams,
  parameters: Named,
): ViewOf<Named> {
  const values = Object.entries(parameters).map(([name, { read }]) => [name, read(query.get(name) ?? "")]);
  // Safe: the values of the parameters.
  return Object.fromEntries(values) as ViewOf<Named>;
}

/** Of several values of one parameter, a page reads the first. */
export function checkParameters(
  query: URLSearchParams,
  parameters: Readonly<Record<string, Pick<Parameter<unknown>, "isValue">>>,
): AddressCheck {
  const ignored = new Set<string>();
  const seen = new Set<string>();
  const rest = new URLSearchParams();
  for (const [name, value] of query) {
    const isRead =
      Object.hasOwn(parameters, name) && !seen.has(name) && parameters[name]?.isValue(value) === true;
    seen.add(name);
    if (isRead) rest.append(name, value);
    else ignored.add(`${name}=${value}`);
  }
  return { ignored: [...ignored], rest };
}
