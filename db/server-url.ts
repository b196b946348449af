/** The scheme, the user with the password, the hosts, and the rest. */
const urlPattern = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)([^?]*)(.*)$/is;

/** Whether a setting names a database of a server. */
export function isServerUrl(database: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(database);
}

/**
 * A URL for each host of `postgres://user@host1:5432,host2:5433/database`, which is the syntax of libpq. Undefined for
 * a text that cannot be parsed, or that has a `/`, `#`, `?` or `%` in the password that is not percent-encoded.
 */
export function urlsOfHosts(text: string): string[] | undefined {
  const [, scheme = "", user = "", hosts = "", path = "", query = ""] = urlPattern.exec(text) ?? [];
  const hasUserInQuery = `${user}${path}` === "" && query.includes("@");
  if (scheme === "" || path.includes("@") || hasUserInQuery || text.includes("#")) return undefined;
  const urls = hosts.split(",").map((host) => `${scheme}${user}${host}${path}${query}`);
  return urls.every((url) => URL.canParse(url)) && isDecodable(`${user}${path}`) ? urls : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The URL for messages and logs: without the password, also where it is a parameter. */
export function nameOfServer(text: string): string {
  const urls = urlsOfHosts(text)?.map((url) => new URL(url));
  if (!urls?.[0]) return "The PostgreSQL database";
  const { username, pathname } = urls[0];
  const hosts = urls.map(({ host }) => host).join(",");
  return `postgres://${username === "" ? "" : `${username}@`}${hosts}${pathname}`;
}
