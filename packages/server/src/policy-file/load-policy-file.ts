import { realpath, stat } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { type JsonObject, type PolicyTier, ToolwrightError } from "@toolwright/engine";
import { checkPolicyFile, compilePolicy, type PolicyFile, tiersOfFile } from "@toolwright/engine/policy";
import { digest, type PolicySourceFile } from "@toolwright/engine/ports";
import { describeSystemError } from "../text/system-words.ts";
import { describePosition, type JoinedMembers, joinFiles, membersOf, positionOf } from "./join-files.ts";
import { readPolicyBytes } from "./read-policy-bytes.ts";
import type { LocatedProblem, MemberPath, PolicyPosition, PolicyText } from "./read-policy-text.ts";

/** A policy read from a file and all that it includes. */
export interface LoadedPolicy {
  readonly tiers: readonly PolicyTier[];
  readonly file: PolicyFile;
  /** Absolute paths of all files that are read. */
  readonly files: readonly string[];
  /** The texts of these files. */
  readonly sources: readonly PolicySourceFile[];
  /** As decisions name it, for whoever no agent's document narrows. */
  readonly revision: string;
  /** Differs when any tier does. */
  readonly fingerprint: string;
  positionOf(path: MemberPath): PolicyPosition | undefined;
}

/** The members of a policy's files as JSON: what they leave out is not there. */
export const documentOf = ({ file }: Pick<LoadedPolicy, "file">) => JSON.parse(JSON.stringify(file)) as JsonObject;

/** A policy that cannot be put in force: every place, and what to write there. */
export class PolicyFileError extends ToolwrightError {
  readonly problems: readonly LocatedProblem[];
  /** The files that were read until then, and those that were looked for. */
  readonly files: readonly string[];

  constructor(file: string, problems: readonly LocatedProblem[], files: readonly string[]) {
    super(
      "policy_invalid",
      `The policy ${file} is not valid:\n${describeProblems(problems)
        .map((line) => `  ${line}`)
        .join("\n")}`,
    );
    this.problems = problems;
    this.files = files;
  }
}

export const describeProblem = (problem: LocatedProblem) => `${describePosition(problem)}: ${problem.text}`;

const mostShown = 20;

/** A line each, of the first ones; the rest by its number. */
export function describeProblems(problems: readonly LocatedProblem[]): readonly string[] {
  const lines = problems.slice(0, mostShown).map(describeProblem);
  const left = problems.length - lines.length;
  return left > 0 ? [...lines, `${left} more problems. Correct these first.`] : lines;
}

export interface LoadPolicyOptions {
  /** Paths in messages are relative to it. */
  readonly cwd: string;
  /** Throws for a file that must not be believed, such as one in the workspace. */
  readonly refuse?: (path: string) => void;
  /** Takes rules whose own tests fail; such a policy cannot be put in force, and has no revision. */
  readonly untested?: boolean;
}

/** Reads a policy file, and those that it includes, and compiles them. Rejects with PolicyFileError. */
export async function loadPolicyFile(path: string, options: LoadPolicyOptions): Promise<LoadedPolicy> {
  const reading = new Reading(options);
  const joined = await reading.read(resolve(options.cwd, path), []);
  const shown = reading.show(resolve(options.cwd, path));
  const fail = (problems: readonly LocatedProblem[]) => new PolicyFileError(shown, problems, reading.files);
  if (!joined || reading.problems.length > 0) throw fail(reading.problems);
  const find = (member: MemberPath) => positionOf(joined, member);
  const checked = checkPolicyFile(joined.value, options);
  if (!("file" in checked))
    throw fail(checked.problems.map(({ path: member, text }) => ({ ...(find(member) ?? { file: shown, line: 1, column: 1 }), text })));
  const tiers = tiersOfFile(checked.file);
  try {
    const revision = options.untested ? "" : compilePolicy(tiers).revision;
    return {
      tiers,
      file: checked.file,
      files: reading.files,
      sources: reading.sources,
      revision,
      fingerprint: digest(tiers),
      positionOf: find,
    };
  } catch (error) {
    if (!ToolwrightError.is(error)) throw error;
    throw fail([{ file: shown, line: 1, column: 1, text: error.message }]);
  }
}

class Reading {
  readonly problems: LocatedProblem[] = [];
  readonly files: string[] = [];
  readonly sources: PolicySourceFile[] = [];
  readonly #options: LoadPolicyOptions;
  readonly #done = new Set<string>();

  constructor(options: LoadPolicyOptions) {
    this.#options = options;
  }

  show(path: string): string {
    const short = relative(this.#options.cwd, path);
    return short === "" || short.startsWith("..") ? path : short;
  }

  /** Undefined when it has problems, or was joined already. `chain` holds the files that are being read, outermost first. */
  async read(path: string, chain: readonly string[]): Promise<JoinedMembers | undefined> {
    if (!this.files.includes(path)) this.files.push(path);
    const text = await this.#open(path);
    if (!text) return undefined;
    this.problems.push(...text.problems);
    if (text.problems.length > 0) return undefined;
    const checked = checkPolicyFile(text.value ?? undefined, this.#options);
    if (!("file" in checked)) {
      this.problems.push(...checked.problems.map((problem) => ({ ...text.positionOf(problem.path), text: problem.text })));
      return undefined;
    }
    const included = await this.#include(path, { text, names: checked.file.include ?? [], chain });
    const { joined, problems } = joinFiles(included, membersOf(text));
    this.problems.push(...problems);
    return joined;
  }

  async #open(path: string): Promise<PolicyText | undefined> {
    try {
      this.#options.refuse?.(path);
      const read = await readPolicyBytes(path);
      if ("text" in read) {
        this.sources.push({ path, text: read.text });
        // With the parser, which most commands do without.
        const { readPolicyText } = await import("./read-policy-text.ts");
        return readPolicyText(read.text, this.show(path));
      }
      this.problems.push({ file: this.show(path), ...read.place, text: read.problem });
    } catch (error) {
      if (ToolwrightError.is(error)) throw error;
      const text = `cannot be read: ${describeSystemError(error)}`;
      this.problems.push({ file: this.show(path), line: 1, column: 1, text });
    }
    return undefined;
  }

  async #include(
    path: string,
    { text, names, chain }: { readonly text: PolicyText; readonly names: readonly string[]; readonly chain: readonly string[] },
  ): Promise<readonly JoinedMembers[]> {
    const self = await realpath(path);
    this.#done.add(self);
    const found: JoinedMembers[] = [];
    for (const [index, name] of names.entries()) {
      const target = resolve(dirname(path), name);
      const real = await realpath(target).catch(() => undefined);
      const refuse = (why: string) => this.problems.push({ ...text.positionOf(["include", index]), text: `include[${index}]: ${why}` });
      // Read or not: whoever watches has to know when it changes.
      if (!this.files.includes(target)) this.files.push(target);
      if (real === undefined) refuse(`there is no file ${this.show(target)}. Paths are relative to the file that includes.`);
      else if (!(await stat(real)).isFile()) refuse(`${this.show(target)} is no file. Name a policy file.`);
      else if (real === self) refuse("it is this file itself, which is a circle. Remove it.");
      else if (chain.includes(real))
        refuse(`${this.show(target)} includes this file, so they go round in a circle. Remove one of the two.`);
      else if (!this.#done.has(real)) {
        const joined = await this.read(target, [...chain, self]);
        if (joined) found.push(joined);
      }
    }
    return found;
  }
}
