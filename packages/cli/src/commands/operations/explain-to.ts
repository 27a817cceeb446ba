import { ToolwrightError } from "@toolwright/engine/errors";
import { CliError } from "../../cli-error.ts";
import { exitCodeOfCode } from "../../exit-code-of.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { fill } from "./fill.ts";
import { type GeneratedCommand, optionName } from "./generated-command.ts";

/** What was typed. */
interface Typed {
  readonly options: Parameters<typeof describeWhereabouts>[0];
  readonly words: readonly string[];
  /** How many values of a file come before those that did not do. */
  readonly first: number;
}

interface Misfit {
  readonly path: string;
  readonly message: string;
}

/** Says of an input that does not fit which option it came with, and where there is no such thing what to do. */
export const explainTo =
  (command: GeneratedCommand, { options: { agent: _, ...options }, words, first }: Typed) =>
  (error: unknown): never => {
    if (!ToolwrightError.is(error) || error.code === "tenant_not_found") throw error;
    const where = describeWhereabouts(options);
    if (command.missing !== undefined && /_(?:not_found|missing)$/.test(error.code))
      throw new CliError(`${error.message} ${fill(command.missing, { where })}`, { cause: error });
    const hint = command.hints?.[error.code];
    if (hint !== undefined) throw new CliError(`${error.message} ${fill(hint, { where })}`, { cause: error });
    // A message that ends with a command to go on with.
    if (where !== "" && error.message.includes(": toolwright ") && !error.message.endsWith("."))
      throw new CliError(`${error.message}${where}`, { cause: error, exitCode: exitCodeOfCode(error.code) });
    const misfits = error.code === "invalid_input" ? misfitsOf(error) : [];
    if (misfits.length === 0) throw error.code === "invalid_input" ? inOptions(error, command) : error;
    const lines = misfits.map(({ path, message }) => `${nameOf(path, command, { words, first })}: ${message}`);
    throw new CliError(lines.join("\n"), { cause: error });
  };

/** The error with options in the place of the members that it names in backticks. */
function inOptions(cause: ToolwrightError, { options }: GeneratedCommand): CliError {
  const name = (written: string, member: string) => {
    const option = options.find((each) => each.member === member);
    return option ? optionName(option) : written;
  };
  return new CliError(cause.message.replace(/`(\w+)`/g, name), { cause });
}

/** Places in the details of the engine's error, or of the answer of a server. */
function misfitsOf({ details, ...more }: ToolwrightError): readonly Misfit[] {
  const { issues = [] } = more as { readonly issues?: readonly { readonly pointer: string; readonly message: string }[] };
  if (issues.length > 0) return issues.map(({ pointer, message }) => ({ path: pointer, message }));
  return Array.isArray(details) ? details.filter(isMisfit) : [];
}

const isMisfit = (detail: unknown): detail is Misfit => typeof (detail as Partial<Misfit> | null)?.path === "string";

function nameOf(path: string, command: GeneratedCommand, { words, first }: Pick<Typed, "words" | "first">): string {
  const { arguments: named, options } = command;
  const [, member = "", ...inner] = path.split("/");
  const option = options.find((each) => each.member === member);
  if (option) return optionName(option);
  const word = named.findIndex((each) => each.holds !== undefined || each.member === member);
  const found = named[word];
  if (found === undefined) return member;
  const file = words[word] === "-" ? "stdin" : words[word];
  // Places in a file are its own: what it calls a member, and which line or item it is, from 1.
  if (found.holds) return [file, [found.holds[member] ?? member, ...inner].join(".")].join(": ");
  if (found.reads !== "lines" || inner.length === 0) return found.form;
  const [item, ...rest] = inner;
  return [file, [first + Number(item) + 1, ...rest].join(".")].join(": ");
}
