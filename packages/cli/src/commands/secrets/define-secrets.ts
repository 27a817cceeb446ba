import type { Command } from "commander";
import { type Define, withCommon, withTenant } from "../define.ts";

/** What tools need and nobody should read. */
export function defineSecrets(program: Command, define: Define): void {
  const secrets = program.command("secrets").description("Set what tools need and nobody should read").exitOverride();
  const { outputError } = program.configureOutput();
  // A value may stand anywhere in a command line that cannot be read.
  secrets.configureOutput({ outputError: (words, write) => outputError?.(withoutValues(words), write) });
  const load = (name: "set" | "list" | "remove" | "rotate" | "check") => async () => (await import("./secrets.ts"))[name];
  withTenant(
    define("set <name> [words...]", "Set one, from stdin or from a prompt that does not show it", load("set"), secrets).usage(
      "<name> [options]",
    ),
  )
    .option("--agent <id>", "for this agent alone, in place of the one for everybody")
    .option("--host <host...>", "where requests and git may send it by its name, over https: api.github.com, git.example.org:8443")
    .option("--no-host", "send it nowhere by its name any more; without either it goes where it went before")
    .option("--header <name>", "send it bare in this header (default: authorization, as a bearer token)")
    .option("--user <name>", "send it as the password of this user (git's default: x-access-token)")
    .addHelpText(
      "after",
      "\nExamples:\n  toolwright secrets set GITHUB_TOKEN --host github.com api.github.com\n  pass show github | toolwright secrets set GITHUB_TOKEN --agent coder",
    );
  withTenant(define("list", "List names, whose they are, and when they were set; never values", load("list"), secrets));
  withTenant(define("remove <name>", "Remove one", load("remove"), secrets)).option("--agent <id>", "the one of this agent");
  withCommon(define("rotate", "Bring all secrets under the current master key, while others use them", load("rotate"), secrets)).option(
    "--new-key",
    "make a new master key first",
  );
  withCommon(define("check", "Try to read every secret, and say which master keys are needed", load("check"), secrets));
}

/** What commander quotes of a command line: names of options stay, whatever may be a value does not. */
function withoutValues(words: string): string {
  const hide = (_: string, quoted: string) => {
    const [option] = quoted.split("=");
    return `'${option && /^--[a-z-]+$/.test(option) ? option : "..."}'`;
  };
  return words.replace(/(but got \d+):.*/g, "$1.").replace(/'([^']*)'/g, hide);
}
