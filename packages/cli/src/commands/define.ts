import { type Command, Option } from "commander";
import type { CommandIo } from "../io.ts";

/** A command; resolves with the exit code. */
export type Run<Options> = (io: CommandIo, options: Options, args: readonly string[]) => Promise<number>;

/** Loads a command's module, only when it runs: start-up stays short. */
export type Load<Options> = () => Promise<Run<Options>>;

/** Adds a command to its parent, or to the program when none is named. */
export type Define = <Options>(signature: string, description: string, load: Load<Options>, parent?: Command) => Command;

/** What nearly every command takes is made once: the program has a hundred commands, and is built for each command line. */
const common = [
  new Option("--workspace <dir>", "the only folder that file and command tools reach (default: ./workspace)"),
  new Option("--tools <dir>", "folder with your own *.tool.ts (default: ./tools)"),
  new Option("--policy <file>", "policy document, YAML or JSON (default: that of your configuration folder, else the built-in one)"),
  new Option("--json", "machine-readable output"),
  new Option("--verbose", "show where an error came from"),
];
const tenant = new Option("--tenant <name>", "of this tenant (default: default)");
const server = new Option("--server <url>", "on the server at this address, with the API key in TOOLWRIGHT_KEY");

/** The group of that name, which commands of operations have made already. */
export function groupOf(program: Command, name: string): Command {
  const found = program.commands.find((each) => each.name() === name);
  if (found) return found;
  throw new Error(`There is no group of commands ${name}.`);
}

/** Adds what every command takes that opens the store or loads tools. */
export function withCommon(command: Command): Command {
  for (const option of common) command.addOption(option);
  return command;
}

/** Adds the common options and `--tenant` to a command about one tenant. */
export function withTenant(command: Command): Command {
  return withCommon(command).addOption(tenant);
}

/** Adds what a command takes that does operations, which another server can do as well. */
export function withServer(command: Command): Command {
  return withServerOption(withTenant(command));
}

/** Adds `--server`. */
export function withServerOption(command: Command): Command {
  return command.addOption(server);
}
