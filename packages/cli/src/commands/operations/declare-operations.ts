import type { ShellFlag } from "@toolwright/engine/shell";
import { Command, Option } from "commander";
import { CliError } from "../../cli-error.ts";
import { commands, groups } from "../../generated/operation-commands.ts";
import type { CommandIo } from "../../io.ts";
import { fieldsHelp, withFields } from "../calls/define-call-options.ts";
import { withCommon, withServer, withServerOption } from "../define.ts";
import { attributeOf, type GeneratedCommand, optionName } from "./generated-command.ts";

interface Declaring {
  /** Keeps the exit code of what it is given. */
  readonly run: (work: (io: CommandIo) => Promise<number>) => Promise<void>;
  /** The word that was typed first. Where it begins commands, the others are left out, which saves some milliseconds. */
  readonly first: string | undefined;
}

/** Adds the commands of the operations below the program, in their groups. */
export function declareOperations(program: Command, { run, first }: Declaring): void {
  const begun = commands.filter(({ words }) => words[0] === first);
  const wanted = begun.length > 0 ? begun : commands;
  for (const [name, { about, help }] of Object.entries(groups))
    program.command(name).description(about).exitOverride().addHelpText("after", help);
  const others = wanted.filter(({ instead }) => instead !== undefined);
  for (const command of wanted) {
    if (command.instead) continue;
    const parent = command.words.slice(0, -1).reduce(childOf, program);
    const declared = declare(command);
    const replacing = others.filter(({ words }) => words.join() === command.words.join());
    for (const { instead } of replacing) if (instead) declared.option(instead.flags, instead.about);
    declared.action(() =>
      run(async (io) => {
        refuseOptionsBefore(declared);
        const options = declared.opts();
        const typed = { options, words: declared.args, known: declared.options };
        return (await import("./run-command.ts")).runCommand(io, choose(command, replacing, options), typed);
      }),
    );
    // What is typed in the place of a secret is refused without repeating it.
    const inherited = declared.copyInheritedSettings(parent).allowExcessArguments(command.secret !== undefined);
    parent.addCommand(inherited.exitOverride());
  }
  // A secret may stand anywhere in a command line that cannot be read.
  for (const { words, secret } of wanted) if (secret !== undefined) hideTyped(words.slice(0, -1).reduce(childOf, program));
}

/** The command in whose place an option is given, with which none stands that it does not have, or the command itself. */
function choose(
  command: GeneratedCommand,
  replacing: readonly GeneratedCommand[],
  options: Readonly<Record<string, unknown>>,
): GeneratedCommand {
  const isSaid = (flag: Pick<ShellFlag, "flags">) => options[attributeOf(flag)] !== undefined;
  const chosen = replacing.find(({ instead }) => instead && isSaid(instead));
  const foreign = chosen && command.options.filter((flag) => isSaid(flag) && !chosen.options.some(({ member }) => member === flag.member));
  if (chosen?.instead && foreign?.length)
    throw new CliError(
      `${optionName(chosen.instead)} does not go with ${foreign.map(optionName).join(" and ")}. Leave the other options out.`,
    );
  return chosen ?? command;
}

/** Options of `usage` in `usage --agent coder limits` would count for nothing. */
function refuseOptionsBefore(command: Command): void {
  const { parent } = command;
  const typed = parent?.options.find((option) => parent.getOptionValueSource(option.attributeName()) === "cli");
  if (typed) throw new CliError(`Write ${typed.long} behind the words of the command: ${parent?.name()} ${command.name()} ${typed.flags}`);
}

/** Quotes nothing of a command line that cannot be read but names of options: whatever else was typed may be a secret. */
function hideTyped(group: Command): void {
  const { outputError } = group.configureOutput();
  const hide = (_: string, quoted: string) => {
    const [option] = quoted.split("=");
    return `'${option && /^--[a-z-]+$/.test(option) ? option : "..."}'`;
  };
  const hidden = (words: string) => words.replace(/(but got \d+):.*/g, "$1.").replace(/'([^']*)'/g, hide);
  for (const command of [group, ...group.commands])
    command.configureOutput({ outputError: (words, write) => outputError?.(hidden(words), write) });
}

function childOf(parent: Command, word: string): Command {
  const found = parent.commands.find((each) => each.name() === word);
  return found ?? parent.command(word).exitOverride();
}

function declare({ words, about, arguments: named, options, help, tenantless, asks, call, awaits }: GeneratedCommand): Command {
  const bare = new Command(words.at(-1)).description(about);
  const command = tenantless ? withServerOption(withCommon(bare)) : withServer(bare);
  for (const { form, about: said = "" } of named) command.argument(form, said);
  for (const { flags, about: said, required, no, usual } of options) {
    const option = new Option(flags, said).makeOptionMandatory(required === true && usual === undefined);
    if (usual !== undefined) option.default(usual);
    command.addOption(option);
    if (no !== undefined) command.addOption(new Option(`--no-${optionName({ flags }).slice(2)}`, no));
  }
  if (asks) command.option("--yes", asks.about);
  if (awaits) command.option(awaits.flags, awaits.about);
  if (call?.fields) withFields(command).addHelpText("after", fieldsHelp);
  return help === "" ? command : command.addHelpText("after", help);
}
