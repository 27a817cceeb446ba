import type { Word } from "../words/decode-word.ts";
import { judgePathWord, type Objection } from "../words/judge-path-word.ts";
import type { ProgramRule, ProgramTable } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments } from "../words/scan-arguments.ts";
import { archiveWalk } from "./tree-walks.ts";

/** `tar tf ARCHIVE` and `tar czf ARCHIVE PATH...`. A colon would name another machine. */
function checkTar([letters, archive, ...members]: readonly Word[]): Objection {
  const mode = /^-?([tc])v?[zjJ]?v?f$/.exec(letters?.text ?? "")?.[1];
  if (!mode || !archive || archive.glob || archive.text.includes(":")) return "only tf and cf with the archive's name are reviewed";
  const strange = members.find((word) => word.text.startsWith("-") || (word.glob && /^[*?[]/.test(word.text)));
  if (strange) return `${JSON.stringify(strange.text)} may be an option`;
  const objections = members.map((word) => judgePathWord(word, "read"));
  return judgePathWord(archive, mode === "c" ? "write" : "read") ?? objections.find((objection) => objection !== undefined);
}

const listings = ["t", "tv"].flatMap((list) =>
  ["", "z", "j", "J"].flatMap((packed) => [`${list}${packed}f`, `${list[0]}${packed}${list.slice(1)}f`]),
);

/** `tar tzf ARCHIVE` by its first word; it only reads. */
const tarListings: ReadonlyMap<string, ProgramRule> = new Map(
  [...new Set(listings)]
    .flatMap((letters) => [letters, `-${letters}`])
    .map((letters) => [
      letters,
      {
        reason: "Lists an archive.",
        readOnly: true,
        words: (words) => checkTar([{ text: letters, glob: false, tilde: false, splitQuotes: false }, ...words]),
        walksBy: (words) => archiveWalk(words, false),
        examples: { match: [`tar ${letters} x.tar`], notMatch: [`tar ${letters} x.tar --to-command=x`, `tar ${letters} /etc/x.tar`] },
      },
    ]),
);

/** Without an option that prints, the files would be replaced. */
function checkGzip({ options, operands }: ScannedArguments): Objection {
  const prints = options.some(({ name }) => /^(?:-c|-l|-t|--stdout|--list|--test)$/.test(name));
  return prints || operands.every(({ text }) => text === "-") ? undefined : "without -c, -l or -t it replaces the files";
}
const gzip = (name: string, options: string): ProgramRule => ({
  reason: "Prints, lists or tests with -c, -l or -t; without them it replaces files, which is left out.",
  operands: "read",
  readOnly: true,
  options: optionTable(options),
  check: checkGzip,
  examples: {
    match: [`${name} -c a.gz`, `${name} -l a.gz`, `${name} -t a.gz`, `${name} < a`],
    notMatch: [`${name} a.gz`, `${name} -c /etc/passwd`, `${name} -c -S .x a`, `${name} -r src`, `${name} -k a.gz`, `${name} -N a.gz`],
  },
});

/** A dash takes an option back, wherever it stands, also after `--`. */
function checkUnzip({ options, operands }: ScannedArguments): Objection {
  if (!options.some(({ name }) => /^-[lptz]$/.test(name))) return "without -l, -p, -t or -z it writes the files of the archive";
  return operands.some(({ text }) => text.startsWith("-")) ? "an argument that begins with a dash may be an option" : undefined;
}

/** Programs that look into archives, or make them in the workspace. Unpacking writes what the archive says, and is left out. */
export const archivePrograms: ProgramTable = {
  tar: {
    reason: "Lists or creates an archive; everything else is left out.",
    placesFiles: "operands",
    words: checkTar,
    modes: tarListings,
    walksBy: (words) => (checkTar(words) ? undefined : archiveWalk(words.slice(1), false)),
    examples: {
      match: ["tar tf x.tar", "tar -tzf x.tgz", "tar czf build/x.tgz src README.md"],
      notMatch: [
        "tar xf a.tar",
        "tar tf host:a",
        "tar cf .git/x src",
        "tar tf a --to-command=x",
        "tar -cf x.tar -I ./evil src",
        "tar cf x.tar *",
        "tar cf x.tar /etc",
        "tar --checkpoint-action=exec=x -cf x.tar src",
      ],
    },
  },
  gzip: gzip("gzip", "-c -d -l -t -v -q -k -1 -6 -9 --stdout --decompress --list --test --verbose --quiet --fast --best"),
  gunzip: gzip("gunzip", "-c -l -t -v -q --stdout --list --test --verbose --quiet"),
  zcat: {
    reason: "Prints what is compressed.",
    operands: "read",
    readOnly: true,
    examples: { match: ["zcat a.log.gz", "zcat < a.gz"], notMatch: ["zcat /var/log/auth.log.1.gz", "zcat -r src"] },
  },
  unzip: {
    reason: "Lists, tests or prints members; extracting writes what the archive says, and is left out.",
    operands: "read",
    readOnly: true,
    options: optionTable("-l -t -p -z -v -q"),
    check: checkUnzip,
    examples: {
      match: ["unzip -l a.zip", "unzip -p a.zip README.md", "unzip -tq a.zip"],
      notMatch: [
        "unzip a.zip",
        "unzip -o a.zip",
        "unzip -l -- -l- a.zip",
        "unzip -l a.zip -d x",
        "unzip -l /root/a.zip",
        "unzip -P x -l a.zip",
      ],
    },
  },
  zip: {
    reason: "Packs files of the workspace; -T and -TT, which run a program, -m, which removes, -@, which reads names, and -b are left out.",
    operands: "read",
    placesFiles: "operands",
    options: optionTable("-r -q -v -j -y -1 -6 -9"),
    walks: (_, { paths }) => archiveWalk(paths, true),
    check: ({ operands: [archive, ...files] }) =>
      archive && files.length > 0 && !archive.glob ? judgePathWord(archive, "write") : "the archive and its files are not named",
    examples: {
      match: ["zip -r build/x.zip src README.md", "zip -9q build/x.zip a.txt"],
      notMatch: [
        "zip -T -TT 'sh -c id' x.zip a",
        "zip -m x.zip a",
        "zip -@ x.zip",
        "zip .git/x a",
        "zip x.zip /etc/passwd",
        "zip x.zip .env",
        "zip x.zip *",
        "zip -b /tmp x.zip a",
      ],
    },
  },
};
