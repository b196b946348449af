import { join } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { API } from "typescript/unstable/async";

export const root = join(import.meta.dir, "../..");

/** The syntax trees of sources, by their paths from the root of the repository. */
export async function treesOf(paths: readonly string[]): Promise<Map<string, SourceFile>> {
  const api = new API({ cwd: root });
  try {
    const snapshot = await api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] });
    const [project] = snapshot.getProjects();
    const trees = new Map<string, SourceFile>();
    for (const path of paths) {
      const tree = await project?.program.getSourceFile(join(root, path));
      if (!tree) throw new Error(`${path} is not a source of this project`);
      trees.set(path, tree);
    }
    return trees;
  } finally {
    await api.close();
  }
}
