/**
 * The libraries that Bun links statically, with their SPDX licences. Sources: https://bun.com/docs/project/license, and
 * for `sqlite` https://sqlite.org/copyright.html.
 */
export const runtimeLibraries: Readonly<Record<string, string>> = {
  JavaScriptCore: "LGPL-2.0-or-later",
  boringssl: "OpenSSL AND ISC AND BSD-3-Clause",
  brotli: "MIT",
  "c-ares": "MIT",
  highway: "Apache-2.0",
  icu: "Unicode-3.0",
  libarchive: "BSD-2-Clause",
  libbase64: "BSD-2-Clause",
  libdeflate: "MIT",
  "libjpeg-turbo": "BSD-3-Clause AND IJG AND Zlib",
  libspng: "BSD-2-Clause",
  libwebp: "BSD-3-Clause",
  "llvm-libcxxabi": "Apache-2.0 WITH LLVM-exception",
  "lol-html": "BSD-3-Clause",
  "ls-hpack": "MIT",
  "ls-qpack": "MIT",
  lsquic: "MIT AND BSD-3-Clause",
  mimalloc: "MIT",
  picohttpparser: "MIT",
  simdutf: "Apache-2.0",
  sqlite: "blessing",
  tigerbeetle: "Apache-2.0",
  tinycc: "LGPL-2.1-only",
  uSockets: "Apache-2.0",
  uWebSockets: "Apache-2.0",
  uucode: "MIT",
  "zlib-ng": "Zlib",
  zstd: "BSD-3-Clause",
};
