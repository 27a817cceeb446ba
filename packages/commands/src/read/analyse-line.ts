import { NotUnderstood } from "../words/decode-word.ts";
import { readLine } from "./read-line.ts";
import { type InnerCommand, unwrapCommand } from "./unwrap-command.ts";

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
