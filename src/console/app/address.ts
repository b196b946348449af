/** The parameters of a page: whether it reads a value completely. */
export type ParameterRules = Readonly<Record<string, (value: string) => boolean>>;

/** The parameters that an address has without effect, such as `status=gone`, and its query without them. */
export type AddressCheck = { ignored: string[]; rest: URLSearchParams };

/** Of several values of one parameter, a page reads the first. */
export function checkParameters(query: URLSearchParams, rules: ParameterRules): AddressCheck {
  const ignored: string[] = [];
  const rest = new URLSearchParams();
  for (const [name, value] of query) {
    const isRead = Object.hasOwn(rules, name) && !rest.has(name) && rules[name]?.(value) === true;
    if (isRead) rest.append(name, value);
    else ignored.push(`${name}=${value}`);
  }
  return { ignored, rest };
}
