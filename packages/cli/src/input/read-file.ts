import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describeSystemError } from "@toolwright/server/text";
import { CliError } from "../cli-error.ts";
import type { Io } from "../io.ts";

type FileIo = Pick<Io, "cwd" | "readStdin">;

/** The text of a file, or of stdin for "-". `name` is the option or argument that names it. */
export async function readText(io: FileIo, name: string, file: string): Promise<string> {
  if (file === "-") return io.readStdin();
  return readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => {
    const place = name.startsWith("-") ? ` of ${name}` : "";
    throw new CliError(`The file ${file}${place} cannot be read: ${describeSystemError(cause)}.`, { cause });
  });
}

/** What a file, or stdin for "-", holds as lines of JSON or as one list. `about` says which file that is. */
export async function readLines(io: FileIo, about: string, file: string): Promise<readonly unknown[]> {
  const text = (await readText(io, "", file).catch(addHint(about))).trim();
  try {
    if (text.startsWith("[")) return JSON.parse(text) as readonly unknown[];
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch (cause) {
    throw new CliError(`${nameOf(file)} holds no lines of JSON. Name ${about}.`, { cause });
  }
}

const nameOf = (file: string) => (file === "-" ? "stdin" : file);

const addHint =
  (about: string) =>
  (error: unknown): never => {
    throw error instanceof CliError ? new CliError(`${error.message} Name ${about}.`, { cause: error }) : error;
  };

/** The value in a YAML or JSON file, or on stdin for "-". */
export async function readDocument(io: FileIo, name: string, file: string): Promise<unknown> {
  const text = await readText(io, name, file);
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true, schema: "core", resolveKnownTags: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new CliError(`${nameOf(file)} is neither YAML nor JSON: ${problem.message.trim()}`);
  return document.toJS({ maxAliasCount: 100 });
}

/** The document of a policy in a file. What is wrong in it is told with its place. */
export async function readPolicy(io: Pick<Io, "cwd">, _: string, file: string): Promise<unknown> {
  return (await import("@toolwright/server/policy-file")).readTenantPolicy(file, io);
}

/** The agents that a file describes. What is wrong in it is told with its place. */
export async function readAgents(io: Pick<Io, "cwd">, _: string, file: string): Promise<unknown> {
  return (await import("./read-agents-file.ts")).readAgentsFile(io, file);
}
