import type { Word } from "../decode-word.ts";
import type { ProgramTable } from "../program-rule.ts";
import { optionTable, type ScanRules, scanArguments } from "../scan-arguments.ts";
import { checkAwk } from "./awk-program.ts";
import { checkFind, findListsFiles } from "./find-expression.ts";
import { checkJq } from "./jq-filter.ts";
import { checkSed } from "./sed-script.ts";
import { checkTest } from "./test-expression.ts";

const grepOptions = optionTable(
  "-E -F -G -P -i -v -w -x -c -l -L -n -H -h -o -q -s -r -R -a -I -z -Z -T -U -u -b -e= -f=path -m= -A= -B= -C= -d= -D= --regexp= --file=path --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-with-matches --files-without-match --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --null --after-context= --before-context= --context= --text --binary-files= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --line-buffered",
);
const rgOptions = optionTable(
  "-e= -f=path -F -i -s -S -v -w -x -c -l -n -N -o -q -p -u -U -P -a -H -I -L -0 -. -A= -B= -C= -g= -m= -r= -t= -T= -d= -M= -j= --regexp= --file=path --fixed-strings --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --count --count-matches --files-with-matches --files-without-match --line-number --no-line-number --only-matching --quiet --pretty --unrestricted --multiline --pcre2 --text --with-filename --no-filename --follow --hidden --no-ignore --no-ignore-vcs --glob= --iglob= --max-count= --replace= --type= --type-not= --type-list --max-depth= --max-columns= --files --json --vimgrep --heading --no-heading --column --trim --sort= --sortr= --stats --color= --colors= --context= --after-context= --before-context= --null --crlf --no-messages --passthru --threads= --max-filesize= --no-config",
);

/** True when an option asks for the names of files that match, and none for anything beside them. */
const listsMatches = (rules: ScanRules) => (words: readonly Word[]) => {
  const scanned = scanArguments(words, rules);
  const names = typeof scanned === "string" ? [] : scanned.options.map(({ name }) => name);
  return (
    names.some((name) => /^(?:-l|--files-with-matches|--files)$/.test(name)) &&
    !names.some((name) => /^--(?:json|stats|type-list)$/.test(name))
  );
};

const grep = {
  reason: "Prints matching lines; no option writes or runs. Files of patterns are read like any other.",
  operands: "read",
  textFirst: { count: 1, unless: ["-e", "--regexp", "-f", "--file"] },
  globSafe: true,
  readOnly: true,
  numbers: true,
  listsFiles: listsMatches({ options: grepOptions, numbers: true }),
  options: grepOptions,
} as const;

/** Programs that search and transform; those with a small language of their own have it checked too. */
export const searchPrograms: ProgramTable = {
  grep,
  egrep: grep,
  fgrep: grep,
  rg: {
    reason: "Prints matching lines; --pre and --hostname-bin, which run programs, and -z, which starts decompressors, are left out.",
    operands: "read",
    textFirst: { count: 1, unless: ["-e", "--regexp", "-f", "--file", "--files", "--type-list"] },
    listsFiles: listsMatches({ options: rgOptions }),
    readOnly: true,
    options: rgOptions,
  },
  find: {
    reason: "Lists files; every predicate that writes, deletes or runs a program is left out.",
    readOnly: true,
    words: checkFind,
    listsFiles: findListsFiles,
  },
  sed: {
    reason: "Prints changed lines; -i, which writes, -f, and the commands e, w and W are left out.",
    operands: "read",
    textFirst: { count: 1, unless: ["-e", "--expression"] },
    readOnly: true,
    options: optionTable("-n -E -r -s -u -z -e= --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression="),
    check: checkSed,
  },
  awk: {
    reason: "Prints columns; programs that run others, open files or read the environment are left out.",
    operands: "read",
    textFirst: { count: 1, unless: [] },
    readOnly: true,
    options: optionTable("-F= -v="),
    check: checkAwk,
  },
  jq: {
    reason: "Prints parts of JSON; env, $ENV, modules and files of filters are left out.",
    operands: "read",
    textFirst: { count: 1, unless: [] },
    readOnly: true,
    options: optionTable(
      "-r -c -s -n -e -M -C -S -j -a --raw-output --compact-output --slurp --null-input --exit-status --monochrome-output --color-output --sort-keys --join-output --tab --indent=",
    ),
    check: checkJq,
  },
  test: { reason: "Compares texts and looks at files; -v, which evaluates an index, is left out.", readOnly: true, words: checkTest },
  "[": { reason: "Compares texts and looks at files; -v, which evaluates an index, is left out.", readOnly: true, words: checkTest },
};
