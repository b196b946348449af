/** A platform that a release has a binary for. `integrity` is the SHA-512 of the npm package of its Bun runtime. */
export interface ReleaseTarget {
  readonly name: string;
  readonly runtime: string;
  readonly integrity: string;
  /** The architecture of the Debian package, where the release has one. */
  readonly debian?: string;
}

/** The version of Bun whose packages `releaseTargets` names. */
export const RUNTIME_VERSION = "1.4.5";

export const releaseTargets: readonly ReleaseTarget[] = [
  {
    name: "linux-x64",
    runtime: "linux-x64",
    integrity:
      "sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
    debian: "amd64",
  },
  {
    name: "linux-arm64",
    runtime: "linux-aarch64",
    integrity:
      "sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
    debian: "arm64",
  },
  {
    name: "linux-x64-musl",
    runtime: "linux-x64-musl",
    integrity:
      "sha512-10QoW/YfTgnURaGEaHpJCiXjLI2e5iTtfVDaA5JKcyUzaa1cq6cVUY9/Uq5XkYzvtRjHLRe9Oj/lTDIQcxy8HQ==",
  },
  {
    name: "linux-arm64-musl",
    runtime: "linux-aarch64-musl",
    integrity:
      "sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==",
  },
  {
    name: "darwin-arm64",
    runtime: "darwin-aarch64",
    integrity:
      "sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==",
  },
];
