/** Files that are embedded in the binary. An import `with { type: "file" }` is the path to read the file at. */
declare module "*.gz" {
  const path: string;
  export default path;
}

declare module "*.csv" {
  const text: string;
  export default text;
}
