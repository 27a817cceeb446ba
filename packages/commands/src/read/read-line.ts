import { type ParsedScript, parse } from "unbash";
import { NotUnderstood } from "../words/decode-word.ts";
import { findUnnamedInScript } from "./find-unnamed-code.ts";
import { flattenScript, type SimpleCommand } from "./flatten-script.ts";
import { joinContinuedLines } from "./join-lines.ts";
import { hasOpenDocument } from "./script-nodes.ts";
import { findUnreadable } from "./unreadable-text.ts";

/** What a command line says, or why nothing certain can be said. `deny`: a person could not judge the text either. */
export type LineReading =
  | { readonly ok: true; readonly commands: readonly SimpleCommand[] }
  | { readonly ok: false; readonly effect: "ask" | "deny"; readonly reason: string };

/** Most simple commands in one line; more of them ask, none is skipped. */
export const maxCommands = 64;
/** Most words in one line. */
export const maxWords = 2_048;

/**
 * Reads a command line as simple commands. Only a strict subset of the shell is read; everything else, and every
 * failure inside the parser, is `ok: false`.
 */
export function readLine(text: string, parseText: (source: string) => ParsedScript = parse): LineReading {
  const unreadable = findUnreadable(text);
  if (unreadable !== undefined) return { ok: false, effect: "deny", reason: `The command cannot be judged: ${unreadable}.` };
  try {
    const source = joinContinuedLines(text);
    const script = parseText(source);
    const error = script.errors?.[0];
    if (error)
      return { ok: false, effect: "deny", reason: `The command is not well-formed shell: ${error.message} at character ${error.pos + 1}.` };
    if (source.includes("<<") && hasOpenDocument(script))
      return {
        ok: false,
        effect: "deny",
        reason: "The command holds a here-document without the line that ends it; end it by its marker alone on a line.",
      };
    if (script.commands.length > maxCommands) throw new NotUnderstood(`it holds more than ${maxCommands} commands`);
    const commands = flattenNamed(script, source);
    if (commands.length === 0) return { ok: false, effect: "deny", reason: "The command holds nothing that runs." };
    if (commands.length > maxCommands) throw new NotUnderstood(`it holds more than ${maxCommands} commands`);
    const words = commands.reduce((count, { argv }) => count + argv.length, 0);
    if (words > maxWords) throw new NotUnderstood(`it holds more than ${maxWords} words`);
    return confirmNames(commands);
  } catch (error) {
    const { message, effect }: NotUnderstood = error instanceof NotUnderstood ? error : new NotUnderstood("the parser failed on it");
    return { ok: false, effect, reason: `The command is outside the part of the shell that is judged: ${message}.` };
  }
}

/** What is not understood is refused, and not asked about, when a pattern decides what it runs. */
function flattenNamed(script: ParsedScript, source: string): readonly SimpleCommand[] {
  try {
    return flattenScript(script, source);
  } catch (error) {
    const unnamed = findUnnamedInScript(script, source);
    throw unnamed === undefined ? error : new NotUnderstood(`${unnamed.replace(/\.$/, "")}; name the file`, "deny");
  }
}

function confirmNames(commands: readonly SimpleCommand[]): LineReading {
  const strange = commands.find((command) => /[^\n\t -~]/.test(command.argv[0]?.text ?? ""));
  if (strange)
    return { ok: false, effect: "deny", reason: "A program's name holds characters that are not ASCII and may look like others." };
  return { ok: true, commands };
}
