import { NotUnderstood, resolveProgram, type Word } from "../words/decode-word.ts";
import { scanArguments } from "../words/scan-arguments.ts";
import type { SplitCommand } from "./find-clauses.ts";
import type { Assignment, SimpleCommand } from "./flatten-script.ts";
import { readLine } from "./read-line.ts";
import { shells, splitters, type Wrapper, wrappers } from "./wrappers.ts";

/** A command line, read and unwrapped once for all tiers. */
export type LineAnalysis =
  | { readonly ok: true; readonly commands: readonly InnerCommand[] }
  | { readonly ok: false; readonly effect: "ask" | "deny"; readonly reason: string };

/** Reads a command line and takes the wrappers (`env`, `timeout`, `xargs`, `sh -c`) off each of its commands; never throws. */
export function analyseLine(text: string): LineAnalysis {
  const reading = readLine(text);
  if (!reading.ok) return reading;
  try {
    return { ok: true, commands: reading.commands.flatMap(unwrapCommand) };
  } catch (error) {
    const { message: why, effect } = error instanceof NotUnderstood ? error : new NotUnderstood("it could not be analysed");
    return { ok: false, effect, reason: `The command is outside the part of the shell that is judged: ${why}.` };
  }
}

/** A command with nothing around it. */
export interface InnerCommand extends SimpleCommand {
  /** The argv of every wrapper around it, outermost first, and its own last. */
  readonly levels: readonly (readonly Word[])[];
  /** Words from standard input are added to it (xargs). */
  readonly appended: boolean;
}

const maxDepth = 5;

/**
 * Takes wrappers off a command, for check, grant and display alike. A wrapper that is used in a way that is not reviewed
 * stays, and is judged as the program it is. Throws `NotUnderstood` when the depth limit is reached.
 */
export function unwrapCommand(command: SimpleCommand): readonly InnerCommand[] {
  return unwrap({ ...command, levels: [command.argv], appended: false }, 0);
}

function unwrap(command: InnerCommand, depth: number): readonly InnerCommand[] {
  if (depth > maxDepth) throw new NotUnderstood(`programs that run programs are nested deeper than ${maxDepth} levels`);
  const name = command.argv[0];
  if (!name || name.glob || name.tilde) return [command];
  const program = resolveProgram(name.text);
  if (shells.has(program)) return readShellText(command, depth) ?? [command];
  const parts = splitters.get(program)?.(command.argv);
  if (parts && !command.appended) return takeApart(command, parts, depth);
  const wrapper = wrappers.get(program);
  const inner = wrapper && removeWrapper(command, wrapper);
  return inner ? unwrap(inner, depth + 1) : [command];
}

function takeApart(command: InnerCommand, parts: SplitCommand, depth: number): readonly InnerCommand[] {
  const own = { ...command, argv: parts.own, levels: [...command.levels, parts.own] };
  const inner = parts.inner.flatMap((argv) =>
    unwrap({ ...command, argv, levels: [...command.levels, argv], appended: true, pipedFrom: own }, depth + 1),
  );
  return [own, ...inner];
}

function removeWrapper(command: InnerCommand, wrapper: Wrapper): InnerCommand | undefined {
  const words = command.argv.slice(1);
  const scanned = scanArguments(words, { options: wrapper.options, numbers: wrapper.numbers, stopAtOperand: true });
  if (typeof scanned === "string" || scanned.options.some((option) => option.value?.tilde)) return undefined;
  const rest = [...scanned.operands];
  const assignments: Assignment[] = [...command.assignments];
  while (wrapper.assignments && rest[0] && /^[^=]+=/.test(rest[0].text)) assignments.push(readAssignment(rest.shift() as Word));
  for (const shape of wrapper.before ?? []) {
    const word = rest.shift();
    if (!word || !shape.test(word.text)) return undefined;
  }
  if (rest.length === 0) return undefined;
  return { ...command, argv: rest, assignments, levels: [...command.levels, rest], appended: command.appended || wrapper.appends === true };
}

function readAssignment(word: Word): Assignment {
  const at = word.text.indexOf("=");
  return { name: word.text.slice(0, at), value: { ...word, text: word.text.slice(at + 1) } };
}

/** `sh -c TEXT` and nothing more. */
function readShellText(command: InnerCommand, depth: number): readonly InnerCommand[] | undefined {
  const [, flag, text, ...more] = command.argv;
  if (flag?.text !== "-c" || !text || text.glob || text.tilde || more.length > 0 || command.appended) return undefined;
  const reading = readLine(text.text);
  if (!reading.ok) throw new NotUnderstood("the text that a shell is given with -c is not understood", reading.effect);
  return reading.commands.flatMap((inner) =>
    unwrap(
      {
        ...inner,
        assignments: [...command.assignments, ...inner.assignments],
        redirects: [...command.redirects, ...inner.redirects],
        pipedFrom: inner.pipedFrom ?? command.pipedFrom,
        levels: [...command.levels, inner.argv],
        leads: false,
        appended: false,
      },
      depth + 1,
    ),
  );
}
