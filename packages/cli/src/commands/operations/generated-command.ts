import type { Columns, Rendering, ShellCommand, ShellFlag, ShortAnswer } from "@toolwright/engine/shell";

/** Columns, with those of them that are times. */
export interface GeneratedColumns extends Columns<Readonly<Record<string, unknown>>> {
  readonly times: readonly string[];
}

/** The option as it is typed, without its value: `--agent`. */
export const optionName = ({ flags }: Pick<ShellFlag, "flags">): string => flags.split(" ", 1)[0] ?? "";

/** A command that `npm run generate` makes of an operation. */
export interface GeneratedCommand extends ShellCommand {
  /** A function loads the view when the command runs. */
  readonly view: GeneratedColumns | ShortAnswer | (() => Promise<Rendering<never>>);
}
