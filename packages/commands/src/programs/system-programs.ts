import type { Word } from "../words/decode-word.ts";
import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";

const printer = { operands: "text", readOnly: true } as const;

/** Variables of the environment that hold no credentials. */
const plainVariables = new Set("PATH HOME USER LOGNAME SHELL PWD LANG LC_ALL TERM TZ HOSTNAME EDITOR PAGER NODE_ENV CI".split(" "));

/** What ps cannot read with a dash, as -aux and -xe, it reads again without: then e is no choice of processes. */
function judgePs(words: readonly Word[]): Objection {
  const plain = words.every(({ text }) => /^(?:aux|ax|-[eAfalj]+|-p|\d+(?:,\d+)*)$/.test(text));
  return plain || (words.length === 1 && /^-au?x$/.test(words[0]?.text ?? "")) ? undefined : "an argument of ps is not reviewed";
}

/** Prints a fact of the machine; operands are none. */
const fact = (reason: string, options: string, examples: ProgramRule["examples"]): ProgramRule => ({
  reason,
  readOnly: true,
  options: optionTable(options),
  examples,
});

/** Programs that print what the machine is and does. */
export const systemPrograms: ProgramTable = {
  pwd: fact("Prints the current folder.", "-P -L", { match: ["pwd", "pwd -P"], notMatch: ["pwd x", "pwd > a"] }),
  whoami: fact("Prints the user's name.", "", { match: ["whoami"], notMatch: ["whoami x"] }),
  nproc: fact("Prints the number of cores.", "--all", { match: ["nproc --all"], notMatch: ["nproc x"] }),
  arch: fact("Prints the machine's kind.", "", { match: ["arch"], notMatch: ["arch -arm64 sh"] }),
  uptime: fact("Prints how long the machine runs.", "-p -s", { match: ["uptime -p"], notMatch: ["uptime x"] }),
  free: fact(
    "Prints how much memory is free; -s, which never ends, is left out.",
    "-b -k -m -g -h -l -t -v -w --bytes --kibi --mebi --gibi --human --si --lohi --total --wide",
    { match: ["free -h", "free -m -t"], notMatch: ["free -s 1"] },
  ),
  hostname: fact("Prints the host's name; an operand would set it.", "-s -f -i -I", {
    match: ["hostname", "hostname -f"],
    notMatch: ["hostname evil", "hostname -F a.txt"],
  }),
  uname: fact("Prints the system's name.", "-a -s -n -r -v -m -p -i -o", { match: ["uname -a"], notMatch: ["uname x"] }),
  df: {
    operands: "read",
    globSafe: true,
    readOnly: true,
    showsNames: true,
    reason: "Prints free space.",
    options: optionTable("-h -H -k -m -i -T -a -l --human-readable --inodes --print-type"),
    examples: { match: ["df -h", "df -h ."], notMatch: ["df /root", "df --sync"] },
  },
  ps: {
    ...printer,
    showsMachine: true,
    reason: "Lists processes; whatever may be read as e without a dash, which prints their environment, is left out.",
    words: judgePs,
    examples: {
      match: ["ps", "ps aux", "ps -aux", "ps -ef", "ps -f -p 12,13"],
      notMatch: ["ps auxe", "ps e", "ps -auxe", "ps -e -ax", "ps -xe", "ps -f -p 12 e", "ps -o pid"],
    },
  },
  id: {
    ...printer,
    reason: "Prints user and groups.",
    options: optionTable("-u -g -G -n -r"),
    examples: { match: ["id", "id -un"], notMatch: ["id -Z", "id > a"] },
  },
  date: {
    ...printer,
    reason: "Prints the time; -s, which sets it, is left out.",
    options: optionTable("-u --utc -d= --date= -I? -R --iso-8601? --rfc-3339= -r=path"),
    maxOperands: 1,
    check: ({ operands }) =>
      operands.every((word) => word.text.startsWith("+")) ? undefined : "an operand of date that is no format sets the clock",
    examples: {
      match: ["date", "date +%Y-%m-%d", "date -u -d '2 days ago'"],
      notMatch: ["date 010100002030", "date -s now", "date -f a.txt", "date -r /etc/passwd"],
    },
  },
  which: {
    ...printer,
    reason: "Prints where programs are.",
    options: optionTable("-a"),
    examples: { match: ["which node", "which -a git"], notMatch: ["which --read-alias x"] },
  },
  printenv: {
    reason: "Prints variables of the environment by name, those that hold no credentials; all of them may hold some.",
    readOnly: true,
    words: (words) =>
      words.length > 0 && words.every(({ text }) => plainVariables.has(text))
        ? undefined
        : "only variables that hold no credentials are reviewed, each by its name",
    examples: { match: ["printenv PATH", "printenv HOME USER"], notMatch: ["printenv", "printenv AWS_SECRET_ACCESS_KEY", "printenv -0"] },
  },
  man: {
    reason:
      "Prints a manual page, or searches by name; -P and -H, which start programs, -C, -M and -l, which read elsewhere, are left out.",
    operands: "text",
    options: optionTable("-k -f -w -a --apropos --whatis --where --all"),
    check: ({ operands }) =>
      operands.every(({ text }) => /^[A-Za-z0-9_][\w.+:-]*$/.test(text))
        ? undefined
        : "an argument of man is no plain name, but may be a file",
    examples: {
      match: ["man ls", "man 5 crontab", "man -k archive", "man -w git-log"],
      notMatch: ["man ./page.1", "man -P ./evil ls", "man -Hevil ls", "man -l page.1", "man -C a.conf ls", "man -M . ls", "man -T ls"],
    },
  },
};
