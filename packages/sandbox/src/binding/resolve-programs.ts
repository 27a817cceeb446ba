import { isAbsolute, join } from "node:path";
import type { StandsFor } from "@toolwright/engine/ports";
import { isProgram, programPath } from "../drivers/prepare-spec.ts";
import { realPathOf } from "./find-landing.ts";
import type { ShellCommand } from "./shell-commands.ts";

/** Programs that one line is shown with. */
const maxPrograms = 20;
const assignment = /^[A-Za-z_]\w*\+?=/;
/** What a shell does itself, and words of its grammar. */
const ofShell = new Set(
  `: . [ [[ alias bg break builtin case cd command continue coproc declare dirs disown do done echo elif else enable esac eval exec exit export
  false fg fi for function getopts hash help history if in jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return
  select set shift shopt source suspend test then time times trap true type typeset ulimit umask unalias unset until wait while { } !`.split(
    /\s+/,
  ),
);
/** Programs that start the one in their words. */
const starters = new Set("env nice timeout nohup stdbuf time xargs sudo doas command exec setsid ionice then do else !".split(" "));

/** The programs that commands would run from here, each with its real path. */
export function resolvePrograms(commands: readonly ShellCommand[], folder: string): NonNullable<StandsFor["programs"]> {
  const words = new Set(commands.flatMap((command) => programsIn(command)));
  return [...words].slice(0, maxPrograms).map((word) => {
    const path = findProgram(word, folder);
    return { word, ...(path !== undefined && { path }) };
  });
}

function programsIn(command: ShellCommand): readonly string[] {
  const texts = command.flatMap(({ text, redirect }) => (redirect || assignment.test(text) ? [] : text));
  const found: string[] = [];
  for (const [at, text] of texts.entries()) {
    // Of the words behind a starter it is not known which are its own, so the first that is a program is taken.
    if (at > 0 && (text.startsWith("-") || findProgram(text, "/") === undefined) && !text.includes("/")) continue;
    // A word of another shell's line may be no program at all (`find -name '*.js'`).
    if (/^[\w./+@-]+$/.test(text) && !ofShell.has(text)) found.push(text);
    if (!starters.has(text)) break;
  }
  return found;
}

function findProgram(word: string, folder: string): string | undefined {
  const places = word.includes("/") ? [isAbsolute(word) ? word : join(folder, word)] : programPath.map((place) => join(place, word));
  const found = places.find(isProgram);
  return found === undefined ? undefined : (realPathOf(found) ?? found);
}
