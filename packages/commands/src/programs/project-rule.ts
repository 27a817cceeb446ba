import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments } from "../words/scan-arguments.ts";

/** Runs code of the project, from files of the current folder. */
export const project = { trustsFolder: true } as const;
/** As `project`, where the command names no file itself: scripts, targets and settings of any folder of the workspace are the project's. */
export const anyProject = { trustsFolder: true, obeysProject: true } as const;

export const subcommand = (reason: string, options: string, more: Partial<ProgramRule> & Pick<ProgramRule, "examples">): ProgramRule => ({
  ...anyProject,
  reason,
  options: optionTable(options),
  ...more,
});
/** Words after `--` go to another program, whose own arguments are checked. */
export const passed = (shape: RegExp, what: string) => ({
  operands: "text" as const,
  check: ({ operands }: ScannedArguments): Objection => {
    const strange = operands.find(({ text }) => !shape.test(text));
    return strange && `${JSON.stringify(strange.text)} is not ${what} that was reviewed`;
  },
});
