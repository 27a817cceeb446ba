import type { Word } from "../words/decode-word.ts";
import type { Examples } from "../words/program-rule.ts";
import { type OptionTable, optionTable } from "../words/scan-arguments.ts";
import { type SplitCommand, splitFind } from "./find-clauses.ts";

/** A program that runs the command in its arguments and changes nothing about what that command does. */
export interface Wrapper {
  readonly options: OptionTable;
  /** `match` runs once rules cover the programs within, `notMatch` asks although rules cover those and the wrapper. */
  readonly examples: Examples;
  /** `-5` is an option. */
  readonly numbers?: boolean;
  /** Words before the command, each of which must fit. */
  readonly before?: readonly RegExp[];
  /** NAME=value may stand before the command. */
  readonly assignments?: boolean;
  /** Adds words to the command that it reads from its input. */
  readonly appends?: boolean;
}

const duration = /^\d+(?:\.\d+)?[smhd]?$/;

/**
 * Wrappers that are looked through. Those that change user, root, namespaces or the process group (sudo, chroot, unshare,
 * setsid, ...), and options that change the folder or split text (`env -C`, `env -S`), are left out on purpose: they ask.
 */
export const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  [
    "env",
    {
      options: optionTable("-i --ignore-environment -u= --unset="),
      assignments: true,
      examples: {
        match: ["env git status", "env CI=1 ls", "env -i ls", "env -u LANG TZ=UTC ls"],
        notMatch: [
          "env",
          "env -S 'ls -l'",
          "env -C x ls",
          "env --chdir=x ls",
          "env GIT_DIR=x git status",
          "env LD_PRELOAD=./x ls",
          "env -i",
        ],
      },
    },
  ],
  [
    "nice",
    {
      options: optionTable("-n= --adjustment="),
      numbers: true,
      examples: { match: ["nice ls", "nice -n 5 git status", "nice -10 ls"], notMatch: ["nice", "nice -n 5 frobnicate x"] },
    },
  ],
  [
    "timeout",
    {
      options: optionTable("-k= --kill-after= -s= --signal= -v --verbose --foreground --preserve-status"),
      before: [duration],
      examples: {
        match: ["timeout 5 ls", "timeout -k 1s 1.5m git status"],
        notMatch: ["timeout 5 frobnicate x", "timeout ls", "timeout 5"],
      },
    },
  ],
  [
    "nohup",
    {
      options: optionTable(""),
      examples: { match: ["nohup ls"], notMatch: ["nohup", "nohup frobnicate x", "nohup sh -c 'ls; frobnicate x'"] },
    },
  ],
  [
    "stdbuf",
    {
      options: optionTable("-i= -o= -e= --input= --output= --error="),
      examples: { match: ["stdbuf -oL ls"], notMatch: ["stdbuf -oL frobnicate x", "stdbuf -x ls"] },
    },
  ],
  [
    "time",
    {
      options: optionTable("-p"),
      examples: {
        match: ["time ls", "time -p git status"],
        notMatch: ["time frobnicate x", "/usr/bin/time -o out ls", "/usr/bin/time -f x ls"],
      },
    },
  ],
  [
    "command",
    {
      options: optionTable("-p"),
      examples: { match: ["command git status", "command -p ls"], notMatch: ["command frobnicate x", "command -x ls"] },
    },
  ],
  [
    "xargs",
    {
      options: optionTable("-0 --null -n= --max-args= -P= --max-procs= -r --no-run-if-empty -t --verbose -L= --max-lines="),
      appends: true,
      examples: {
        match: [
          "find . -name '*.ts' -print0 | xargs -0 grep -l x",
          "grep -rln x . | xargs wc -l",
          "rg -l x src | xargs -n 5 head -n 3",
          "git ls-files | xargs -r cat",
        ],
        notMatch: [
          "echo /etc/passwd | xargs cat",
          "xargs cat < list",
          "find . -printf '/etc/passwd\\n' | xargs cat",
          "find . | xargs sh -c 'ls'",
          "git ls-files | xargs rm",
          "find . | xargs -I {} cat {}",
          "find . | xargs -a list cat",
          "find . | xargs --process-slot-var=LD_PRELOAD cat",
          "find . | xargs",
        ],
      },
    },
  ],
]);

/** Programs that run commands in the midst of their arguments; undefined when one of those is not understood. */
export const splitters: ReadonlyMap<string, (argv: readonly Word[]) => SplitCommand | undefined> = new Map([["find", splitFind]]);

/** Shells whose `-c TEXT` is read like any other line. */
export const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash"]);

/** Programs that run what their arguments or other machines say, in ways that are not looked through: no lasting rule is offered. */
export const dispatchers: ReadonlySet<string> = new Set(
  `zsh ksh fish csh tcsh ash node nodejs deno bun python pypy perl ruby php lua tclsh osascript awk gawk mawk
  eval exec source . builtin trap sudo doas su runuser ssh setsid script watch parallel flock strace ltrace gdb busybox toybox chroot
  unshare nsenter setpriv prlimit taskset chrt ionice docker podman nerdctl kubectl npx pnpx bunx uvx pipx xvfb-run expect`.split(/\s+/),
);
