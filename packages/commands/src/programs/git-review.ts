import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments } from "../words/scan-arguments.ts";

/** git reads the repository's own settings, so it runs only in the folder that the rule meant. */
export const repository = { trustsFolder: true } as const;

type More = Partial<ProgramRule> & Pick<ProgramRule, "examples">;

/** `%G` of a format checks signatures by starting a program, as --show-signature does. */
function checkFormat({ options }: ScannedArguments): Objection {
  const checks = options.some(
    ({ name, value }) => /^--(?:format|pretty)$/.test(name) && /%[-+ ]?G|%\(\*?signature/.test(value?.text ?? ""),
  );
  return checks ? "the format checks signatures, which starts another program" : undefined;
}

/** A subcommand that reads, unless `more` says otherwise. */
export const git = (reason: string, options: string, more: More): ProgramRule => ({
  ...repository,
  obeysRepository: more.readOnly !== false,
  readOnly: true,
  operands: "read",
  reason,
  options: optionTable(options),
  ...more,
  check: (scanned) => checkFormat(scanned) ?? more.check?.(scanned),
});

/** Refuses patterns of files that begin at the top of the repository, which may lie above the folder of the line. */
export const refuseTop = ({ operands }: ScannedArguments): Objection =>
  operands.some(({ text }) => /^:(?:[!^]*\/|\([^)]*\btop\b)/.test(text)) ? "it names paths from the top of the repository" : undefined;

const plainNames = ({ operands }: ScannedArguments): Objection =>
  operands.every(({ text }) => /^[A-Za-z0-9@][\w./@{}~^-]*$/.test(text)) ? undefined : "it names more than plain branches and commits";

/** A subcommand that changes branches and the work tree, by plain names of branches and commits. */
export const changing = (reason: string, options: string, more: More): ProgramRule =>
  git(reason, options, { readOnly: false, replacesFiles: true, operands: "text", pinned: 2, check: plainNames, ...more });

export const diffOptions =
  "-p -u -s -U= --unified= --patch --no-patch --raw --minimal --patience --histogram --anchored= --diff-algorithm= --stat? --numstat --shortstat --dirstat? --compact-summary --ignore-submodules? --summary --patch-with-stat -z --name-only --name-status --color? --no-color --color-moved? --color-words? --word-diff? --word-diff-regex= --no-renames --check --full-index --binary --abbrev? -B? -M? -C? --find-renames? --find-copies? --find-copies-harder -D --diff-filter= -S= -G= --pickaxe-all --pickaxe-regex -R --relative? -a --text --ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines -W --function-context --exit-code --quiet --no-ext-diff --no-textconv --src-prefix= --dst-prefix= --no-prefix -q";
export const logOptions = `${diffOptions} -n= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep -i --regexp-ignore-case -E -F -P --merges --no-merges --first-parent --all --branches? --tags? --remotes? --oneline --pretty? --format= --abbrev-commit --no-abbrev-commit --date= --relative-date --graph --decorate? --no-decorate --decorate-refs= --reverse --follow --left-right --cherry-pick --cherry-mark --topo-order --date-order --author-date-order --no-walk -g --walk-reflogs --source --cc -c -m -L= --no-notes --simplify-by-decoration --boundary --ancestry-path --dense --full-history`;
