import type { Command } from "commander";
import { type Define, groupOf, withServer } from "../define.ts";

/** What tools need and nobody should read. */
export function defineSecrets(program: Command, define: Define): void {
  const secrets = groupOf(program, "secrets");
  const { outputError } = program.configureOutput();
  // A value may stand anywhere in a command line that cannot be read.
  for (const command of [secrets, ...secrets.commands])
    command.configureOutput({ outputError: (words, write) => outputError?.(withoutValues(words), write) });
  withServer(
    define(
      "set <name> [words...]",
      "Set a secret from stdin or a hidden prompt",
      async () => (await import("./secrets.ts")).set,
      secrets,
    ).usage("<name> [options]"),
  )
    .option("--agent <id>", "for this agent only; takes precedence over the tenant's secret")
    .option("--host <host...>", "hosts that requests and git may send the secret to, over https: api.github.com, git.example.org:8443")
    .option("--no-host", "remove all hosts; without --host and --no-host the hosts stay as they are")
    .option("--header <name>", "send the plain value in this header (default: authorization, as a bearer token)")
    .option("--user <name>", "send the value as the password of this user (default for git: x-access-token)")
    .addHelpText(
      "after",
      "\nExamples:\n  toolwright secrets set GITHUB_TOKEN --host github.com api.github.com\n  pass show github | toolwright secrets set GITHUB_TOKEN --agent coder",
    );
}

/** What commander quotes of a command line: names of options stay, whatever may be a value does not. */
function withoutValues(words: string): string {
  const hide = (_: string, quoted: string) => {
    const [option] = quoted.split("=");
    return `'${option && /^--[a-z-]+$/.test(option) ? option : "..."}'`;
  };
  return words.replace(/(but got \d+):.*/g, "$1.").replace(/'([^']*)'/g, hide);
}
