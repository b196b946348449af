/** Files that land inside the binary: imported `with { type: "file" }`, each is the path it can be read at. */
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}

declare module "*.csv" {
  const text: string;
  export default text;
}
