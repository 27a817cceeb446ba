import type { ProgramTable } from "../program-rule.ts";
import { optionTable } from "../scan-arguments.ts";

const reader = { operands: "read", globSafe: true, readOnly: true } as const;
const printer = { operands: "text", readOnly: true } as const;

const checksums = {
  ...reader,
  reason: "Prints or checks digests of files.",
  options: optionTable("-c --check -b -t --tag --quiet --status"),
};

/** Programs that print, or read files and print. None of them can write a file or start a program with the options listed. */
export const textPrograms: ProgramTable = {
  echo: { ...printer, globSafe: true, reason: "Prints its arguments.", options: optionTable("-n -e -E") },
  printf: { ...printer, reason: "Prints its arguments; -v, which assigns and evaluates an index, is left out." },
  true: { ...printer, reason: "Does nothing.", inert: true },
  false: { ...printer, reason: "Does nothing.", inert: true },
  ":": { ...printer, reason: "Does nothing.", inert: true },
  set: {
    ...printer,
    reason: "Ends the script at the first failure, or prints what it runs; other settings of the shell are left out.",
    inert: true,
    words: (words) =>
      words.length > 0 && words.every(({ text }) => /^(?:[-+][eux]*o?|pipefail)$/.test(text))
        ? undefined
        : "a setting of the shell is not reviewed",
  },
  exit: {
    ...printer,
    reason: "Ends the script.",
    inert: true,
    maxOperands: 1,
    check: ({ operands }) => (/^\d{0,3}$/.test(operands[0]?.text ?? "") ? undefined : "it is no exit code"),
  },
  wait: { reason: "Waits for what runs in the background.", readOnly: true, inert: true },
  sleep: { ...printer, reason: "Waits." },
  seq: { ...printer, reason: "Prints numbers.", numbers: true, options: optionTable("-w -s= -f=") },
  pwd: { reason: "Prints the current folder.", readOnly: true, options: optionTable("-P -L") },
  whoami: { reason: "Prints the user's name.", readOnly: true },
  nproc: { reason: "Prints the number of cores.", readOnly: true, options: optionTable("--all") },
  arch: { reason: "Prints the machine's kind.", readOnly: true },
  ps: {
    ...printer,
    reason: "Lists processes; e without a dash, which prints their environment, is left out.",
    words: (words) => (words.every(({ text }) => /^(?:aux|ax|-[eAfalxuj]+)$/.test(text)) ? undefined : "an argument of ps is not reviewed"),
  },
  uptime: { reason: "Prints how long the machine runs.", readOnly: true, options: optionTable("-p -s") },
  hostname: { reason: "Prints the host's name; an operand would set it.", readOnly: true, options: optionTable("-s -f -i -I") },
  id: { ...printer, reason: "Prints user and groups.", options: optionTable("-u -g -G -n -r") },
  uname: { reason: "Prints the system's name.", readOnly: true, options: optionTable("-a -s -n -r -v -m -p -i -o") },
  date: {
    ...printer,
    reason: "Prints the time; -s, which sets it, is left out.",
    options: optionTable("-u --utc -d= --date= -I? -R --iso-8601? --rfc-3339= -r=path"),
    maxOperands: 1,
    check: ({ operands }) =>
      operands.every((word) => word.text.startsWith("+")) ? undefined : "an operand of date that is no format sets the clock",
  },
  basename: { ...printer, reason: "Cuts a text.", options: optionTable("-a -s= --suffix=") },
  dirname: { ...printer, reason: "Cuts a text." },
  which: { ...printer, reason: "Prints where programs are.", options: optionTable("-a") },
  type: { ...printer, reason: "Prints what a name stands for.", options: optionTable("-a -t -p -P") },
  command: { ...printer, reason: "With -v it prints what a name stands for.", options: optionTable("-v -V") },
  ls: {
    ...reader,
    reason: "Lists names and attributes; no option writes or runs.",
    numbers: true,
    options: optionTable(
      "-1 -a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -I= -w= --all --almost-all --color? --classify? --directory --full-time --group-directories-first --human-readable --ignore= --inode --recursive --reverse --size --sort= --time= --time-style= --format= --no-group --numeric-uid-gid",
    ),
  },
  cat: {
    ...reader,
    reason: "Prints files.",
    options: optionTable("-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank"),
  },
  tac: { ...reader, reason: "Prints files backwards." },
  rev: { ...reader, reason: "Prints lines backwards." },
  nl: { ...reader, reason: "Numbers lines.", options: optionTable("-b= -n= -w= -s= -v=") },
  head: {
    ...reader,
    reason: "Prints the beginning.",
    numbers: true,
    options: optionTable("-n= -c= -q -v --lines= --bytes= --quiet --verbose"),
  },
  tail: {
    ...reader,
    reason: "Prints the end; -f, which never ends, is left out.",
    numbers: true,
    options: optionTable("-n= -c= -q -v --lines= --bytes= --quiet --verbose"),
  },
  wc: {
    ...reader,
    reason: "Counts; --files0-from, which reads names of files, is left out.",
    options: optionTable("-l -w -c -m -L --lines --words --bytes --chars --max-line-length"),
  },
  cut: {
    ...reader,
    reason: "Prints columns.",
    options: optionTable("-d= -f= -c= -b= -s --delimiter= --fields= --characters= --output-delimiter= --complement --only-delimited"),
  },
  tr: {
    ...printer,
    reason: "Replaces characters of its input.",
    options: optionTable("-d -s -c -C -t --delete --squeeze-repeats --complement"),
  },
  fold: { ...reader, reason: "Wraps lines.", options: optionTable("-w= -s -b --width= --spaces") },
  fmt: { ...reader, reason: "Wraps paragraphs.", options: optionTable("-w= -s -u") },
  expand: { ...reader, reason: "Replaces tabs.", options: optionTable("-t= -i") },
  column: { ...reader, reason: "Arranges columns.", options: optionTable("-t -s= -o= -x -c=") },
  paste: { ...reader, reason: "Joins lines.", options: optionTable("-d= -s --delimiters= --serial") },
  comm: { ...reader, reason: "Compares sorted files.", maxOperands: 2, options: optionTable("-1 -2 -3 --check-order --nocheck-order") },
  join: { ...reader, reason: "Joins sorted files.", maxOperands: 2, options: optionTable("-t= -1= -2= -j= -a= -v= -o= -e= -i") },
  cmp: { ...reader, reason: "Compares files.", maxOperands: 2, options: optionTable("-s -l -b --silent --quiet") },
  diff: {
    ...reader,
    reason: "Compares files; --to-file and --from-file are left out.",
    maxOperands: 2,
    options: optionTable(
      "-u -U= -c -q -r -N -a -i -b -B -w -y -W= -s -E -Z --brief --recursive --new-file --unified? --side-by-side --color? --ignore-all-space --ignore-case --ignore-space-change --ignore-blank-lines -x= --exclude=",
    ),
  },
  sort: {
    reason: "Prints sorted lines; -o and -T, which write, --compress-program, which runs a program, and --files0-from are left out.",
    operands: "read",
    readOnly: true,
    options: optionTable(
      "-b -d -f -g -h -i -M -n -r -R -s -u -V -z -c -C -m -k= -t= -S= --key= --field-separator= --numeric-sort --reverse --unique --human-numeric-sort --version-sort --ignore-case --stable --check? --general-numeric-sort --month-sort --random-sort --zero-terminated",
    ),
  },
  uniq: {
    ...reader,
    reason: "Prints distinct lines; a second operand would be written.",
    maxOperands: 1,
    options: optionTable("-c -d -D -i -u -z -f= -s= -w= --count --repeated --unique --ignore-case --skip-fields= --skip-chars="),
  },
  stat: { ...reader, reason: "Prints attributes.", options: optionTable("-c= -f -L -t --format= --printf= --terse --dereference") },
  du: {
    ...reader,
    reason: "Sums sizes.",
    options: optionTable("-a -b -c -h -k -m -s -x -d= --max-depth= --human-readable --summarize --total --apparent-size --exclude= --all"),
  },
  df: { ...reader, reason: "Prints free space.", options: optionTable("-h -H -k -m -i -T -a -l --human-readable --inodes --print-type") },
  file: {
    ...reader,
    reason: "Guesses types; -C, which writes, -m and -f are left out.",
    options: optionTable("-b -i -L -h --brief --mime --mime-type --mime-encoding"),
  },
  tree: {
    ...reader,
    reason: "Lists a tree; -o, which writes, is left out.",
    options: optionTable("-a -d -f -i -L= -P= -I= -s -h -D -F -r -t --dirsfirst --noreport --gitignore -C -n -J -X --prune --du"),
  },
  realpath: { ...reader, reason: "Prints resolved paths.", options: optionTable("-e -m -s -q --relative-to=path --relative-base=path") },
  readlink: { ...reader, reason: "Prints targets of links.", options: optionTable("-f -e -m -n -q") },
  od: { ...reader, reason: "Dumps bytes.", options: optionTable("-A= -t= -N= -j= -c -x -b -d -o -v -w?") },
  hexdump: { ...reader, reason: "Dumps bytes.", options: optionTable("-C -n= -s= -v -c -x") },
  xxd: {
    ...reader,
    reason: "Dumps bytes; a second operand would be written.",
    maxOperands: 1,
    options: optionTable("-l= -s= -c= -g= -p -u -b"),
  },
  strings: { ...reader, reason: "Prints texts inside files.", options: optionTable("-a -n= -t=") },
  base64: { ...reader, reason: "Encodes a file.", maxOperands: 1, options: optionTable("-d -w= --decode --wrap=") },
  md5sum: checksums,
  sha1sum: checksums,
  sha256sum: checksums,
  sha512sum: checksums,
  cksum: checksums,
};
