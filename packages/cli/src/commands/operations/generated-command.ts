import type {
  AnyShell,
  Bytes,
  Columns,
  Rendering,
  Settle,
  ShellCommand,
  ShellFlag,
  ShellQuestion,
  ShellReading,
  ShortAnswer,
  Waiting,
} from "@toolwright/engine/shell";

/** Columns, with those of them that are times. */
export interface GeneratedColumns extends Columns<Readonly<Record<string, unknown>>> {
  readonly times: readonly string[];
}

/** The option as it is typed, without its value: `--agent`. */
export const optionName = ({ flags }: Pick<ShellFlag, "flags">): string => flags.split(" ", 1)[0] ?? "";

/** The name under which commander keeps the option: in camel case. */
export const attributeOf = (flag: Pick<ShellFlag, "flags">): string =>
  optionName(flag)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** A function loads the view when the command runs. */
export type GeneratedView = GeneratedColumns | ShortAnswer | Bytes<Readonly<Record<string, unknown>>> | (() => Promise<Rendering<never>>);

/** A question, with what is shown before it. */
export interface GeneratedQuestion extends Omit<ShellQuestion, "after"> {
  readonly after?: ShellReading & { readonly view: GeneratedView };
}

/** A command that `npm run generate` makes of an operation. */
export interface GeneratedCommand extends ShellCommand {
  readonly view: GeneratedView;
  readonly asks?: GeneratedQuestion;
  readonly awaits?: Omit<NonNullable<AnyShell["awaits"]>, "waiting"> & { readonly waiting: () => Promise<Waiting<never>> };
  readonly settle?: () => Promise<Settle>;
}
