import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";
import { refuseArgumentFiles } from "./argument-files.ts";
import { diffWalk, listWalk } from "./tree-walks.ts";

const reader = { operands: "read", globSafe: true, readOnly: true } as const;
const printer = { operands: "text", readOnly: true } as const;

const checksums = (name: string, options = "-c --check -b -t --tag --quiet --status"): ProgramRule => ({
  ...reader,
  reason: "Prints or checks digests of files.",
  options: optionTable(options),
  examples: {
    match: [`${name} a.txt b.txt`, `${name} src/*.ts`],
    notMatch: [`${name} /etc/passwd`, `${name} --files0-from=a.txt`, `${name} .env`],
  },
});

/** Programs that look at files without changing them. None of them writes or starts a program with the options listed. */
export const filePrograms: ProgramTable = {
  ls: {
    ...reader,
    showsNames: true,
    walks: listWalk,
    reason: "Lists names and attributes; no option writes or runs.",
    numbers: true,
    options: optionTable(
      "-1 -a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -I= -w= --all --almost-all --color? --classify? --directory --full-time --group-directories-first --human-readable --ignore= --inode --recursive --reverse --size --sort= --time= --time-style= --format= --no-group --numeric-uid-gid",
    ),
    examples: {
      match: ["ls", "ls -la", "ls -la src/ 2>/dev/null", "ls src/*.ts", "ls -- -x"],
      notMatch: ["ls ~/.ssh", "ls /root", "ls ..", "ls > out", "ls --dired"],
    },
  },
  stat: {
    ...reader,
    showsNames: true,
    reason: "Prints attributes.",
    options: optionTable("-c= -f -L -t --format= --printf= --terse --dereference"),
    examples: { match: ["stat -c %s README.md"], notMatch: ["stat /etc/shadow", "stat --cached=never a"] },
  },
  du: {
    ...reader,
    showsNames: true,
    reason: "Sums sizes.",
    options: optionTable("-a -b -c -h -k -m -s -x -d= --max-depth= --human-readable --summarize --total --apparent-size --exclude= --all"),
    examples: { match: ["du -sh .", "du -d 1 src"], notMatch: ["du -sh /home", "du --files0-from=a.txt", "du -X a.txt ."] },
  },
  file: {
    ...reader,
    showsNames: true,
    reason: "Guesses types; -C, which writes, -m and -f are left out.",
    options: optionTable("-b -i -L -h --brief --mime --mime-type --mime-encoding"),
    examples: { match: ["file -b a.bin"], notMatch: ["file -f x", "file -C -m x", "file -z a.gz"] },
  },
  tree: {
    ...reader,
    showsNames: true,
    reason: "Lists a tree; -o, which writes, is left out.",
    options: optionTable("-a -d -f -i -L= -P= -I= -s -h -D -F -r -t --dirsfirst --noreport --gitignore -C -n -J -X --prune --du"),
    examples: { match: ["tree -L 2 src"], notMatch: ["tree -o x", "tree --fromfile a.txt", "tree /"] },
  },
  realpath: {
    ...reader,
    showsNames: true,
    reason: "Prints resolved paths.",
    options: optionTable("-e -m -s -q --relative-to=path --relative-base=path"),
    examples: { match: ["realpath src"], notMatch: ["realpath /root/x", "realpath --relative-to=/ src"] },
  },
  readlink: {
    ...reader,
    showsNames: true,
    reason: "Prints targets of links.",
    options: optionTable("-f -e -m -n -q"),
    examples: { match: ["readlink -f a"], notMatch: ["readlink /proc/self/exe"] },
  },
  basename: {
    ...printer,
    reason: "Cuts a text.",
    options: optionTable("-a -s= --suffix="),
    examples: { match: ["basename src/a.ts .ts"], notMatch: ["basename -z x", "basename *"] },
  },
  dirname: { ...printer, reason: "Cuts a text.", examples: { match: ["dirname src/a.ts"], notMatch: ["dirname $PWD"] } },
  cmp: {
    ...reader,
    reason: "Compares files.",
    maxOperands: 2,
    options: optionTable("-s -l -b --silent --quiet"),
    examples: { match: ["cmp a.bin b.bin"], notMatch: ["cmp a.bin /etc/passwd", "cmp *"] },
  },
  diff: {
    ...reader,
    walks: diffWalk,
    reason: "Compares files; --to-file and --from-file are left out.",
    maxOperands: 2,
    options: optionTable(
      "-u -U= -c -q -r -N -a -i -b -B -w -y -W= -s -E -Z --brief --recursive --new-file --unified? --side-by-side --color? --ignore-all-space --ignore-case --ignore-space-change --ignore-blank-lines --ignore-trailing-space --strip-trailing-cr -t --expand-tabs --suppress-common-lines --left-column -p --show-c-function --label= --width= --minimal -x= --exclude=",
    ),
    examples: {
      match: ["diff -u a.txt b.txt", "diff -rq src build"],
      notMatch: ["diff --to-file=/etc/passwd a", "diff a /etc/passwd", "diff -X /etc/passwd a b", "diff -l a b"],
    },
  },
  od: {
    ...reader,
    reason: "Dumps bytes.",
    options: optionTable("-A= -t= -N= -j= -c -x -b -d -o -v -w?"),
    examples: { match: ["od -c a.bin", "od -A x -t x1 a.bin"], notMatch: ["od /dev/mem"] },
  },
  hexdump: {
    ...reader,
    reason: "Dumps bytes; -f, which reads a format, is left out.",
    options: optionTable("-C -n= -s= -v -c -x"),
    examples: { match: ["hexdump -C a.bin"], notMatch: ["hexdump -f fmt a.bin", "hexdump -C /dev/mem"] },
  },
  xxd: {
    ...reader,
    reason: "Dumps bytes; a second operand would be written.",
    maxOperands: 1,
    options: optionTable("-l= -s= -c= -g= -p -u -b"),
    examples: { match: ["xxd -l 64 a.bin"], notMatch: ["xxd a b", "xxd -r a b", "xxd *"] },
  },
  strings: {
    operands: "read",
    readOnly: true,
    reason: "Prints texts inside files; @FILE, which names further arguments, is left out.",
    options: optionTable("-a -n= -t="),
    check: refuseArgumentFiles,
    examples: {
      match: ["strings -n 8 a.bin"],
      notMatch: ["strings /bin/ls", "strings @a.txt", "strings *", "rg --files | xargs strings"],
    },
  },
  base64: {
    ...reader,
    reason: "Encodes a file.",
    maxOperands: 1,
    options: optionTable("-d -w= --decode --wrap="),
    examples: { match: ["base64 -w 0 a.bin", "base64 -d a.txt"], notMatch: ["base64 .env", "base64 -o b a"] },
  },
  md5sum: checksums("md5sum"),
  sha1sum: checksums("sha1sum"),
  sha224sum: checksums("sha224sum"),
  sha256sum: checksums("sha256sum"),
  sha384sum: checksums("sha384sum"),
  sha512sum: checksums("sha512sum"),
  cksum: checksums("cksum", "-c --check -a= --algorithm= -b --tag --untagged --quiet --status"),
};
