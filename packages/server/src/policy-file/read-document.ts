import { relative, resolve } from "node:path";
import { SettingsError } from "../settings-error.ts";
import { describeSystemError } from "../text/system-words.ts";
import { readPolicyBytes } from "./read-policy-bytes.ts";
import type { PolicyText } from "./read-policy-text.ts";

/** A YAML or JSON file that was named. */
export interface ReadDocument extends PolicyText {
  readonly path: string;
  /** As messages name it. */
  readonly shown: string;
}

interface Reading {
  readonly cwd: string;
  /** For messages: "The policy". */
  readonly what: string;
}

/** Reads a file that is not validated yet; what is not well formed comes back as problems. Rejects with SettingsError for one that cannot be read. */
export async function readDocument(file: string, { cwd, what }: Reading): Promise<ReadDocument> {
  const path = resolve(cwd, file);
  const shown = relative(cwd, path).startsWith("..") ? path : relative(cwd, path);
  const read = await readPolicyBytes(path).catch((cause: unknown) => {
    throw new SettingsError(`${what} ${shown} cannot be read: ${describeSystemError(cause)}. Name a YAML or JSON file.`, { cause });
  });
  if (!("text" in read)) {
    const place = { file: shown, ...read.place };
    return { path, shown, value: undefined, problems: [{ ...place, text: read.problem }], positionOf: () => place };
  }
  // With the parser, which most commands do without.
  const { readPolicyText } = await import("./read-policy-text.ts");
  return { path, shown, ...readPolicyText(read.text, shown) };
}
