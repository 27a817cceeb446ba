import type { ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";

const reader = { operands: "read", globSafe: true, readOnly: true } as const;

/** Programs that read files or their input and print. None of them can write a file or start a program with the options listed. */
export const textPrograms: ProgramTable = {
  cat: {
    ...reader,
    reason: "Prints files.",
    options: optionTable("-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank"),
    examples: {
      match: ["cat a.txt b.txt", "cat ./README.md", 'cat "my file.txt"', "cat <<'EOF'\nhello\nEOF", "cat <<< hello"],
      notMatch: ["cat /etc/passwd", "cat ../x", "cat .env", "cat config/.env.local", "cat .e*", "cat a\tb > c", "cat 'a\n/etc/passwd'"],
    },
  },
  tac: {
    ...reader,
    reason: "Prints files backwards.",
    examples: { match: ["tac a.txt"], notMatch: ["tac /etc/passwd", "tac -s x a.txt"] },
  },
  rev: { ...reader, reason: "Prints lines backwards.", examples: { match: ["rev a.txt"], notMatch: ["rev /etc/passwd"] } },
  nl: {
    ...reader,
    reason: "Numbers lines.",
    options: optionTable("-b= -n= -w= -s= -v="),
    examples: { match: ["nl -b a a.txt"], notMatch: ["nl .env", "nl ~/x"] },
  },
  head: {
    ...reader,
    reason: "Prints the beginning.",
    numbers: true,
    options: optionTable("-n= -c= -q -v --lines= --bytes= --quiet --verbose"),
    examples: { match: ["head -5 README.md", "head -c 100 README.md"], notMatch: ["head /proc/self/environ", "head -n 1 ~/.netrc"] },
  },
  tail: {
    ...reader,
    reason: "Prints the end; -f, which never ends, is left out.",
    numbers: true,
    options: optionTable("-n= -c= -q -v --lines= --bytes= --quiet --verbose"),
    examples: { match: ["tail -n 5 README.md", "tail -20 a.log"], notMatch: ["tail -f a.log", "tail /var/log/auth.log"] },
  },
  wc: {
    ...reader,
    reason: "Counts; --files0-from, which reads names of files, is left out.",
    options: optionTable("-l -w -c -m -L --lines --words --bytes --chars --max-line-length"),
    examples: { match: ["wc -l src/*.ts", "wc -l < README.md"], notMatch: ["wc --files0-from=x", "wc /etc/passwd", "wc < /etc/passwd"] },
  },
  cut: {
    ...reader,
    reason: "Prints columns.",
    options: optionTable("-d= -f= -c= -b= -s --delimiter= --fields= --characters= --output-delimiter= --complement --only-delimited"),
    examples: { match: ["cut -d: -f1 names.txt"], notMatch: ["cut -d: -f1 /etc/passwd"] },
  },
  tr: {
    operands: "text",
    readOnly: true,
    reason: "Replaces characters of its input.",
    options: optionTable("-d -s -c -C -t --delete --squeeze-repeats --complement"),
    examples: { match: ["tr a-z A-Z < a.txt", "tr -d '\\n' < a.txt"], notMatch: ["tr a b < /etc/passwd", "tr a b > c", "tr * b"] },
  },
  fold: {
    ...reader,
    reason: "Wraps lines.",
    options: optionTable("-w= -s -b --width= --spaces"),
    examples: { match: ["fold -s -w 80 a.txt"], notMatch: ["fold /etc/passwd"] },
  },
  fmt: {
    ...reader,
    reason: "Wraps paragraphs.",
    options: optionTable("-w= -s -u"),
    examples: { match: ["fmt -w 80 a.txt"], notMatch: ["fmt ../a.txt"] },
  },
  expand: {
    ...reader,
    reason: "Replaces tabs.",
    options: optionTable("-t= -i"),
    examples: { match: ["expand -t 2 a.txt"], notMatch: ["expand /etc/passwd"] },
  },
  unexpand: {
    ...reader,
    reason: "Brings tabs in.",
    options: optionTable("-a -t= --all --first-only"),
    examples: { match: ["unexpand -a a.txt"], notMatch: ["unexpand /etc/passwd"] },
  },
  column: {
    ...reader,
    reason: "Arranges columns.",
    options: optionTable("-t -s= -o= -x -c="),
    examples: { match: ["column -t -s, a.csv"], notMatch: ["column -t /etc/passwd"] },
  },
  paste: {
    ...reader,
    reason: "Joins lines.",
    options: optionTable("-d= -s --delimiters= --serial"),
    examples: { match: ["paste -sd, a.txt", "paste a.txt b.txt"], notMatch: ["paste a.txt /etc/passwd"] },
  },
  comm: {
    ...reader,
    reason: "Compares sorted files.",
    maxOperands: 2,
    options: optionTable("-1 -2 -3 --check-order --nocheck-order"),
    examples: { match: ["comm -12 a.txt b.txt"], notMatch: ["comm a.txt /etc/passwd", "comm *"] },
  },
  join: {
    ...reader,
    reason: "Joins sorted files.",
    maxOperands: 2,
    options: optionTable("-t= -1= -2= -j= -a= -v= -o= -e= -i"),
    examples: { match: ["join -t, -j 1 a.csv b.csv"], notMatch: ["join a.csv /etc/passwd"] },
  },
  seq: {
    operands: "text",
    readOnly: true,
    reason: "Prints numbers.",
    numbers: true,
    options: optionTable("-w -s= -f="),
    examples: { match: ["seq 1 10", "seq -s, 5"], notMatch: ["seq `id`", "seq 5 > a"] },
  },
  sort: {
    reason: "Prints sorted lines; -o and -T, which write, --compress-program, which runs a program, and --files0-from are left out.",
    operands: "read",
    readOnly: true,
    options: optionTable(
      "-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C -m -k= -t= -S= --key= --field-separator= --numeric-sort --reverse --unique --human-numeric-sort --version-sort --ignore-case --stable --check? --general-numeric-sort --month-sort --random-sort --zero-terminated --parallel=",
    ),
    examples: {
      match: ["sort -t, -k2,2n data.csv", "sort -u x", "sort src/*.txt"],
      notMatch: [
        "sort *",
        "sort -o a.txt a.txt",
        "sort -uoa.txt b.txt",
        "sort --files0-from=x",
        "sort --compress-program=./x a",
        "sort -T /tmp a",
        "sort --random-source=/etc/passwd a",
      ],
    },
  },
  uniq: {
    ...reader,
    reason: "Prints distinct lines; a second operand would be written.",
    maxOperands: 1,
    options: optionTable("-c -d -D -i -u -z -f= -s= -w= --count --repeated --unique --ignore-case --skip-fields= --skip-chars="),
    examples: { match: ["uniq -c a.txt"], notMatch: ["uniq a b", "uniq *", "uniq /etc/passwd"] },
  },
};
