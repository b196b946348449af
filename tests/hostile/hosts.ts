/** Valid Host headers. */
export const soundHosts = [
  ...[
    "x",
    "X",
    "a_b",
    "a.",
    "1",
    "localhost",
    "localhost:80",
    "[::1]",
    "[::1]:80",
    "127.0.0.1:3000",
    "xn--a",
  ],
];

/** Invalid Host headers: each is or may be parsed as a URL with another path. */
export const oddHosts = [
  ...["", " ", "a b", "localhost?", "localhost/", "localhost/livez", "localhost/livez?", "a/../b", "/livez"],
  ...["?", "#", "a#b", "a\\b", "x@y", "@", "a,b", "*", "%61", "a%00", "\xe9", "a\tb", "<x>", "::1", "[::1"],
  ...["[::1]x", "[x]", "a:b", "a:-1", "a:123456", "a:80:80", "a;b", "-a", ".a", "http://localhost"],
  ...["livez", "docs"].flatMap((path) => [`x/${path}?`, `x/${path}#`, `x\\${path}`, `x/${path}/../${path}?`]),
  ...[`${"a".repeat(2000)}/`, "a\r\nHost: a", "localhost\r\nHost: x/livez?"],
];
