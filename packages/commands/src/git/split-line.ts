import { parse, type Statement } from "unbash";
import { analyseLine, type InnerCommand, joinContinuedLines } from "../read/analyse-line.ts";
import { resolveProgram } from "../words/decode-word.ts";

/** A part of a list that a shell of its own runs. */
export interface ListPart {
  readonly command: string;
  /** The ending of the part that ran last at which it runs: after `&&`, after `||`, or after `;` and a line break. The first part always runs. */
  readonly runsAfter: "success" | "failure" | "any";
}

/** What a part needs: the access to git metadata, and what keeps it from having it. */
type NeedOf = (command: string) => { readonly access: string; readonly heldBackBy?: string };

/**
 * Takes a list apart where it mixes git commands that change a repository with other programs, so that each part gets the access to git metadata
 * that it needs, and no more. Neighbours with the same need stay together. Undefined when there is nothing to gain, and where a part could depend
 * on the shell of the one before: its folder, variables, options, functions, jobs, exit status, or the temporary files of the run.
 * `cd FOLDER &&` at the beginning stands before each part.
 */
export function splitAroundGit(command: string, needOf: NeedOf): readonly ListPart[] | undefined {
  const analysis = analyseLine(command);
  if (!analysis.ok) return undefined;
  const pieces = listPieces(joinContinuedLines(command));
  if (!pieces || leaveTraces.test(command)) return undefined;
  const [first, ...rest] = pieces;
  const moves = first !== undefined && isPlainMove(first.command) && rest.every(({ runsAfter }) => runsAfter === "success");
  const parts = joinNeighbours(moves ? rest : pieces, needOf);
  const moved = moves ? 1 : 0;
  if (parts.length < 2 || !analysis.commands.slice(moved).every(isAlone)) return undefined;
  return moves ? parts.map((part) => ({ ...part, command: `${first.command} && ${part.command}` })) : parts;
}

/** A status, an argument or a process of the shell, a place that only one run has, a name of the home folder. */
const leaveTraces = /\$[?!_$@*#0-9-]|\$\{[^}\w]|PIPESTATUS|~|\bHOME\b|\bTMP(?:DIR)?\b|\/(?:tmp|shm|run)\b/;

const isPlainMove = (command: string) => /^cd [A-Za-z0-9_@./+-]+$/.test(command);

/** Programs of the shell itself that leave nothing in it. */
const traceless = new Set("echo printf true false : test [ pwd kill".split(" "));
/** By bash's own list (`compgen -b`, 5.2), and words that begin a construct. */
const builtins = new Set(
  `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export
   false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt
   source suspend test times trap true type typeset ulimit umask unalias unset wait coproc function`.split(/\s+/),
);

/** True for a command that a shell of its own runs as the shell of the line would. */
function isAlone({ argv, levels, redirects }: InnerCommand): boolean {
  if (argv.length === 0 || redirects.some(({ kind }) => kind === "text")) return false;
  return levels.every(([name, ...words]) => {
    if (!name || name.glob || name.tilde) return false;
    const program = resolveProgram(name.text);
    if (!builtins.has(program)) return true;
    return traceless.has(program) && !(program === "printf" && words[0]?.text.startsWith("-v"));
  });
}

/** The pipelines of a list, each as it is written. Undefined where anything but the usual operators stands between them. */
function listPieces(source: string): readonly ListPart[] | undefined {
  const pieces: ListPart[] = [];
  let end = 0;
  for (const statement of parse(source).commands) {
    for (const [index, node] of pipelinesOf(statement).entries()) {
      const isPlain = node.type === "Command" || (node.type === "Pipeline" && node.commands.every(({ type }) => type === "Command"));
      const gap = source.slice(end, node.pos);
      const runsAfter = operators.get(gap.trim() || (gap.includes("\n") ? "\n" : ""));
      if (!isPlain || statement.background || (pieces.length > 0 ? runsAfter === undefined : node.pos !== leading(source)))
        return undefined;
      if ((runsAfter === "any") !== (index === 0 && pieces.length > 0)) return undefined;
      pieces.push({ command: source.slice(node.pos, node.end), runsAfter: runsAfter ?? "any" });
      end = node.end;
    }
  }
  return /^;?$/.test(source.slice(end).trim()) ? pieces : undefined;
}

const pipelinesOf = ({ command }: Statement) => (command.type === "AndOr" ? command.commands : [command]);
const leading = (source: string) => /^\s*/.exec(source)?.[0].length ?? 0;

const operators: ReadonlyMap<string, ListPart["runsAfter"]> = new Map([
  ["&&", "success"],
  ["||", "failure"],
  [";", "any"],
  ["\n", "any"],
]);

/** Joins neighbours of one need where the list means the same then: it reads from the left, so `a && b || c` is no `a && (b || c)`. */
function joinNeighbours(pieces: readonly ListPart[], needOf: NeedOf): readonly ListPart[] {
  const kindOf = (command: string) => {
    const { access, heldBackBy } = needOf(command);
    if (heldBackBy !== undefined) return "mixed";
    return access === "changes" || access === "configures" ? "changes" : "reads";
  };
  const written = { success: " && ", failure: " || ", any: "\n" } as const;
  const joined: ListPart[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    const isSame = joined.length === 1 || before?.runsAfter === "any" || before?.runsAfter === piece.runsAfter;
    if (before && isSame && kindOf(before.command) === kindOf(piece.command))
      joined[joined.length - 1] = { ...before, command: `${before.command}${written[piece.runsAfter]}${piece.command}` };
    else joined.push(piece);
  }
  return joined;
}
