import type { Word } from "../words/decode-word.ts";
import { judgePathWord, type Objection } from "../words/judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments, type ScanRules, scanArguments } from "../words/scan-arguments.ts";
import { checkAwk } from "./awk-program.ts";
import { checkFind, findListsFiles } from "./find-expression.ts";
import { checkJq } from "./jq-filter.ts";
import { checkSed } from "./sed-script.ts";
import { findWalk, grepWalk, ripgrepWalk } from "./tree-walks.ts";

const grepOptions = optionTable(
  "-E -F -G -P -i -v -w -x -c -l -L -n -H -h -o -q -s -r -R -a -I -z -Z -T -U -u -b -e= -f=path -m= -A= -B= -C= -d= -D= --regexp= --file=path --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color? --colour? --files-with-matches --files-without-match --max-count= --only-matching --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --null --after-context= --before-context= --context= --text --binary-files= --exclude= --exclude-dir= --include= --recursive --dereference-recursive --line-buffered",
);
const rgOptions = optionTable(
  "-e= -f=path -F -i -s -S -v -w -x -c -l -n -N -o -q -p -u -U -P -a -H -I -L -0 -. -A= -B= -C= -g= -m= -r= -t= -T= -d= -M= -j= --regexp= --file=path --fixed-strings --ignore-case --case-sensitive --smart-case --invert-match --word-regexp --line-regexp --count --count-matches --files-with-matches --files-without-match --line-number --no-line-number --only-matching --quiet --pretty --unrestricted --multiline --multiline-dotall --pcre2 --text --with-filename --no-filename --follow --hidden --no-ignore --no-ignore-vcs --glob= --iglob= --max-count= --replace= --type= --type-not= --type-list --max-depth= --max-columns= --files --json --vimgrep --heading --no-heading --column --trim --sort= --sortr= --stats --color= --colors= --context= --after-context= --before-context= --null --crlf --no-messages --passthru --threads= --max-filesize= --no-config --version -V",
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

const grep = (name: string): ProgramRule => ({
  reason: "Prints matching lines; no option writes or runs. Files of patterns are read like any other.",
  operands: "read",
  textFirst: { count: 1, unless: ["-e", "--regexp", "-f", "--file"] },
  globSafe: true,
  readOnly: true,
  numbers: true,
  listsFiles: listsMatches({ options: grepOptions, numbers: true }),
  walks: grepWalk,
  options: grepOptions,
  examples: {
    match: [
      `${name} -n "foo$" a.txt`,
      `${name} -r --include='*.ts' foo .`,
      `${name} '(a|b){2,3}' x`,
      `${name} -c '' 'café.txt'`,
      `${name} x src/*.ts`,
    ],
    notMatch: [
      `${name} -f /etc/passwd x`,
      `${name} --file=/etc/passwd x`,
      `${name} -r root /etc`,
      `${name} x .env`,
      `${name} -hel README.md | xargs cat`,
      `${name} -h -e -l README.md | xargs cat`,
    ],
  },
});

/** Programs that search and transform; those with a small language of their own have it checked too. */
export const searchPrograms: ProgramTable = {
  grep: grep("grep"),
  egrep: grep("egrep"),
  fgrep: grep("fgrep"),
  rg: {
    reason: "Prints matching lines; --pre and --hostname-bin, which run programs, and -z, which starts decompressors, are left out.",
    operands: "read",
    textFirst: { count: 1, unless: ["-e", "--regexp", "-f", "--file", "--files", "--type-list"] },
    listsFiles: listsMatches({ options: rgOptions }),
    walks: ripgrepWalk,
    readOnly: true,
    options: rgOptions,
    examples: {
      match: ["rg -n foo src -g '*.ts'", "rg --files", "rg -l 'foo\\(' src | wc -l"],
      notMatch: [
        "rg --pre ./x foo",
        "rg --hostname-bin ./x foo",
        "rg -z foo",
        "rg foo /etc",
        "rg -f /etc/passwd x",
        "rg -rl x README.md | xargs cat",
        "rg -I x -- -l | xargs cat",
      ],
    },
  },
  find: {
    reason: "Lists files; every predicate that writes, deletes or runs a program is left out.",
    readOnly: true,
    words: checkFind,
    listsFiles: findListsFiles,
    walksBy: findWalk,
    examples: {
      match: [
        "find . -name '*.ts' -not -path './node_modules/*'",
        "find . -path ./node_modules -prune -o -name '*.js' -print",
        "find . -type f -size +1M",
        'find . -name "*.log" -mtime -7 -print0',
        "find . -name '*.ts' -exec grep -n x {} +",
      ],
      notMatch: [
        "find / -name x",
        "find . -delete",
        "find . -name *",
        "find . -fprint out",
        "find . -fls out",
        "find . -ok cat {} ';'",
        "find . -execdir cat {} +",
        "find . -newerXY x",
        "find -files0-from x",
        "find . -exec cat {} /etc/passwd +",
        "find . -name -exec grep x {} + -delete",
      ],
    },
  },
  sed: {
    reason: "Prints changed lines; -i, which writes, -f, and the commands e, w and W are left out.",
    operands: "read",
    textFirst: { count: 1, unless: ["-e", "--expression"] },
    readOnly: true,
    options: optionTable("-n -E -r -s -u -z -e= --quiet --silent --regexp-extended --separate --unbuffered --null-data --expression="),
    check: checkSed,
    examples: {
      match: ["sed -n '1,20p' README.md", "sed -E 's/(a|b)+/x/' README.md", "sed '1d;$d' README.md", "sed '/^$/d' README.md"],
      notMatch: [
        "sed -i 's/a/b/' f",
        "sed -f x f",
        "sed 's/x/y/w out' f",
        "sed 's/a/b/;w out' f",
        "sed -n 'r /etc/passwd' f",
        "sed 's#a#b#e' f",
        "sed 's/a/b\\\n/e' f",
        "sed '$!{e touch x\n}' f",
        "sed p /etc/passwd",
      ],
    },
  },
  awk: {
    reason: "Prints columns; programs that run others, open files or read the environment are left out.",
    operands: "read",
    textFirst: { count: 1, unless: [] },
    readOnly: true,
    options: optionTable("-F= -v="),
    check: checkAwk,
    examples: {
      match: [
        "awk '{print $1}' README.md",
        "awk -F, '{ print $1, $3 }' a.csv",
        "awk 'NR>1 {print $2}' a",
        "awk 'NR==1,NR==3' a",
        "awk '/foo/ {print $0}' a",
        "awk '{s += $1} END {print s}' a",
      ],
      notMatch: [
        "awk '{print > \"x\"}'",
        "awk '{print $1 | \"sh\"}' f",
        "awk '\"cmd\" | getline' f",
        "awk 'BEGIN { system(\"id\") }'",
        "awk 'BEGIN { print ENVIRON[\"HOME\"] }'",
        'awk \'{ print $1 / "/etc/passwd" > "x" }\' f',
        "awk -f x f",
        "awk '{print}' /etc/passwd",
      ],
    },
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
    examples: {
      match: ["jq '.scripts | keys' package.json", "jq -r .name package.json"],
      notMatch: [
        "jq '$ENV' x",
        "jq env.HOME x",
        "jq -n 'input_filename, $__prog_args'",
        "jq -L x 'import \"a\" as a; .'",
        "jq -f x a.json",
        "jq --rawfile a /etc/passwd . x",
        "jq . /etc/passwd",
      ],
    },
  },
  yq: {
    reason:
      "Prints parts of YAML as jq does; -i, -s and --split-exp, which write, and env, load and system are left out. One program of this name takes the letter i in any cluster for -i, so formats are written out.",
    operands: "read",
    textFirst: { count: 1, unless: [] },
    readOnly: true,
    options: optionTable(
      "-r -e -n -P -M -C -o=json -o=yaml -o=xml -o=csv -o=tsv -p=json -p=yaml -p=xml -p=csv -p=toml --output-format= --input-format= --prettyPrint --null-input --exit-status --no-colors --colors",
    ),
    check: checkYq,
    examples: {
      match: ["yq -r .name a.yaml", "yq '.jobs | keys' .github/workflows/ci.yaml", "yq -o=json . a.yaml"],
      notMatch: [
        "yq -i .a=1 a.yaml",
        "yq -oini .a a.yaml",
        "yq -s .name a.yaml",
        "yq 'load(\"/etc/passwd\")' a.yaml",
        "yq 'env(HOME)' a.yaml",
        "yq -n 'system(\"id\")'",
        "yq . /etc/passwd",
        "yq .env",
      ],
    },
  },
};

/** A first argument that is the name of a file is read by some versions of yq, and is no expression then. */
function checkYq(scanned: ScannedArguments): Objection {
  const [first] = scanned.operands;
  return checkJq(scanned) ?? (first && judgePathWord(first, "read"));
}
