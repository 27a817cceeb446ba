import { type Files, ToolwrightError } from "@toolwright/engine";

export interface OperationInput {
  readonly files: Files;
  readonly path: string;
  /** The second path of a copy or move. */
  readonly arg: string;
  readonly content: string | undefined;
}

type Operation = (input: OperationInput) => Promise<unknown>;

const operations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["read", async ({ files, path }) => (await files.readLines(path)).text],
  ["write", ({ files, path, content = "written" }) => files.write(path, content)],
  ["list", ({ files, path }) => files.list(path)],
  ["stat", ({ files, path }) => files.stat(path)],
  ["delete", ({ files, path }) => files.delete(path)],
  ["delete-tree", ({ files, path }) => files.delete(path, { recursive: true })],
  ["edit", async ({ files, path }) => files.write(path, `${(await files.readLines(path)).text}more`)],
  ["copy", copy],
  ["move", move],
  // Folders are only made by writing a file into them.
  ["mkdir", ({ files, path }) => files.write(`${path}/new.txt`, "written")],
  ["root", openRoot],
  ...["make-symlink", "make-hardlink", "chmod"].map((name): [string, Operation] => [name, refuse]),
]);

const synonyms: ReadonlyMap<string, string> = new Map([
  ["create", "write"],
  ["append", "edit"],
  ["rename", "move"],
  ["exists", "stat"],
  ["remove", "delete"],
  ["unlink", "delete"],
  ["remove-tree", "delete-tree"],
  ["symlink", "make-symlink"],
  ["hardlink", "make-hardlink"],
]);

/** What a case does. Throws for an operation that it does not know. */
export function operationOf(name: string, input: OperationInput): () => Promise<unknown> {
  const operation = operations.get(synonyms.get(name) ?? name);
  if (!operation) throw new Error(`The corpus has an operation that is not known here: ${name}`);
  return () => operation(input);
}

async function copy({ files, path, arg }: OperationInput): Promise<string> {
  const bytes = await files.readBytes(path);
  await files.write(arg, bytes);
  return Buffer.from(bytes).toString();
}

async function move(input: OperationInput): Promise<string> {
  const text = await copy(input);
  await input.files.delete(input.path);
  return text;
}

async function openRoot({ files, path }: OperationInput): Promise<unknown> {
  const { kind } = await files.stat(path);
  return kind === "directory" ? files.list(path) : (await files.readLines(path)).text;
}

async function refuse(): Promise<never> {
  throw new ToolwrightError("path_refused", "No tool has such an operation.");
}
