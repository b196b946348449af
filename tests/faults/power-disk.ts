import { basename, dirname } from "node:path";
import { Content } from "./power-content.ts";
import type { Loss } from "./power-losses.ts";
import type { Step } from "./power-trace.ts";

/** An unsynced change of a file: of some bytes or of its length. `at` is the number of the step. */
export type Change = { at: number } & ({ offset: number; data: Uint8Array } | { size: number });
/** An unsynced change of a folder. A rename is one change of two names. */
export type Naming = { at: number; names: [name: string, node: Node | undefined][] };

type FileNode = { synced: Content; live: Content; changes: Change[] };
type FolderNode = { synced: Map<string, Node>; live: Map<string, Node>; changes: Naming[] };
type Node = FileNode | FolderNode;

/**
 * A disk with a write cache. The content of a file is durable after the file is synced, its existence and name after
 * its folder is synced. Any part of the other changes may be lost.
 */
export class Disk {
  readonly #root: FolderNode = newFolder();
  readonly #path: string;
  #at = 0;

  /** `path` is an existing folder, empty and synced. */
  constructor(path: string) {
    this.#path = path;
  }

  do(step: Step): void {
    this.#at += 1;
    const at = this.#at;
    if (step.does === "tell") return;
    if (step.does === "make") {
      if (this.#find(step.path)) return;
      this.#name(step.path, [[basename(step.path), step.isFolder ? newFolder() : newFile()]]);
    } else if (step.does === "remove") this.#name(step.path, [[basename(step.path), undefined]]);
    else if (step.does === "rename") {
      if (dirname(step.path) !== dirname(step.to)) throw new Error("a rename from folder to folder");
      const node = this.#find(step.path);
      this.#name(step.path, [
        [basename(step.path), undefined],
        [basename(step.to), node],
      ]);
    } else if (step.does === "sync") sync(this.#there(step.path));
    else {
      const file = this.#there(step.path);
      if (isFolder(file)) throw new Error(`${step.path} is a folder`);
      const change: Change =
        step.does === "write" ? { at, offset: step.offset, data: step.data } : { at, size: step.size };
      file.changes.push(change);
      file.live.change(change);
    }
  }

  /** The current files, by their paths in the folder. */
  live(): Map<string, Uint8Array> {
    return filesOf(
      this.#root,
      (folder) => folder.live,
      (file) => file.live.bytes(),
    );
  }

  /** The files after a loss of power. */
  after(loss: Loss): Map<string, Uint8Array> {
    return filesOf(
      this.#root,
      (folder) => {
        const names = new Map(folder.synced);
        for (const change of folder.changes) if (loss.keepsName(change)) apply(names, change);
        return names;
      },
      (file) => loss.left(file.synced, file.changes).bytes(),
    );
  }

  /** The steps whose effect may be lost, oldest first. */
  unsynced(): number[] {
    const found: number[] = [];
    function look(folder: FolderNode): void {
      found.push(...folder.changes.map(({ at }) => at));
      for (const node of new Set([...folder.synced.values(), ...folder.live.values()])) {
        if (isFolder(node)) look(node);
        else found.push(...node.changes.map(({ at }) => at));
      }
    }
    look(this.#root);
    return found.sort((a, b) => a - b);
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of path.slice(this.#path.length).split("/").filter(Boolean))
      node = node && isFolder(node) ? node.live.get(name) : undefined;
    return node;
  }

  #there(path: string): Node {
    const node = this.#find(path);
    if (!node) throw new Error(`${path} is not there`);
    return node;
  }

  #name(path: string, names: Naming["names"]): void {
    const folder = this.#there(dirname(path));
    if (!isFolder(folder)) throw new Error(`${dirname(path)} is no folder`);
    const change = { at: this.#at, names };
    folder.changes.push(change);
    apply(folder.live, change);
  }
}

function newFolder(): FolderNode {
  return { synced: new Map(), live: new Map(), changes: [] };
}

function newFile(): FileNode {
  return { synced: new Content(), live: new Content(), changes: [] };
}

function isFolder(node: Node): node is FolderNode {
  return node.live instanceof Map;
}

function apply(folder: Map<string, Node>, { names }: Naming): void {
  for (const [name, node] of names) {
    if (node) folder.set(name, node);
    else folder.delete(name);
  }
}

function sync(node: Node): void {
  if (isFolder(node)) for (const change of node.changes) apply(node.synced, change);
  else for (const change of node.changes) node.synced.change(change);
  node.changes = [];
}

function filesOf(
  folder: FolderNode,
  names: (folder: FolderNode) => Map<string, Node>,
  bytes: (file: FileNode) => Uint8Array,
): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const [name, node] of names(folder)) {
    if (!isFolder(node)) files.set(name, bytes(node));
    else for (const [path, content] of filesOf(node, names, bytes)) files.set(`${name}/${path}`, content);
  }
  return files;
}
