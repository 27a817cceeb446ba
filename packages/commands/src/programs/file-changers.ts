import type { Objection } from "../words/judge-path-word.ts";
import type { ProgramTable } from "../words/program-rule.ts";
import { optionTable, type ScannedArguments } from "../words/scan-arguments.ts";

const changer = { operands: "write" } as const;

/** A pattern as the target means a file that is there already, which may be any. */
const refuseTargetPattern =
  (targets: (scanned: ScannedArguments) => ScannedArguments["operands"]) =>
  (scanned: ScannedArguments): Objection => {
    const pattern = targets(scanned).find(({ glob }) => glob);
    return pattern && `${JSON.stringify(pattern.text)} is a pattern, and which file it means to write is not certain; name the file`;
  };
const lastOperand = refuseTargetPattern(({ operands }) => operands.slice(-1));

/** Programs that change files of the workspace. None is built in. */
export const fileChangers: ProgramTable = {
  tee: {
    ...changer,
    placesFiles: "input",
    reason: "Writes its input to files of the workspace.",
    options: optionTable("-a --append"),
    check: refuseTargetPattern(({ operands }) => operands),
    examples: {
      match: ["tee build/b < a", "tee -a build/log < a"],
      notMatch: [
        "tee ~/.bashrc < a",
        "tee .git/hooks/x < a",
        "tee /etc/hosts < a",
        "tee -p x < a",
        "tee sub/.zed/settings.json < a",
        "tee mis?.toml < a",
      ],
    },
  },
  mkdir: {
    ...changer,
    reason: "Creates folders in the workspace.",
    options: optionTable("-p -v --parents --verbose"),
    examples: { match: ["mkdir -p a/b"], notMatch: ["mkdir /tmp/x", "mkdir -m 777 x", "mkdir .git/x", "mkdir ../x"] },
  },
  touch: {
    ...changer,
    reason: "Creates empty files in the workspace.",
    options: optionTable("-a -c -m --no-create"),
    examples: { match: ["touch build/x"], notMatch: ["touch ~/x", "touch -r /etc/passwd x", "touch .git/index.lock"] },
  },
  rm: {
    operands: "delete",
    reason: "Removes files below the workspace; its root, hidden settings and credentials are left out.",
    options: optionTable("-f -i -v -r -R -d --force --recursive --verbose --dir"),
    examples: {
      match: ["rm build/x", "rm -rf build", "rm build/*.o", "rm -rf .next node_modules/.cache"],
      notMatch: [
        "rm -rf .claude",
        "rm mise.toml",
        "rm -rf .",
        "rm -rf .git",
        "rm -rf *",
        "rm -rf /*",
        "rm -- *",
        "rm ../x",
        "rm --no-preserve-root -r /",
      ],
    },
  },
  rmdir: {
    operands: "delete",
    reason: "Removes empty folders.",
    options: optionTable("-p -v"),
    examples: { match: ["rmdir build/x"], notMatch: ["rmdir ../x", "rmdir /tmp/x"] },
  },
  cp: {
    ...changer,
    placesFiles: "operands",
    reason: "Copies inside the workspace.",
    check: lastOperand,
    options: optionTable("-a -r -R -p -v -n -f -i --archive --recursive --no-clobber --verbose"),
    examples: {
      match: ["cp a.txt b.txt", "cp -r src build/src"],
      notMatch: [
        "cp /etc/passwd a",
        "cp a ~/x",
        "cp a .git/hooks/pre-commit",
        "cp -t /tmp a",
        "cp -S x a b",
        "cp -s a b",
        "cp a Justfile",
        "cp a mis?.toml",
      ],
    },
  },
  mv: {
    ...changer,
    placesFiles: "operands",
    reason: "Moves inside the workspace.",
    check: lastOperand,
    options: optionTable("-v -n -f -i --no-clobber --verbose"),
    examples: { match: ["mv a.txt b.txt"], notMatch: ["mv a /tmp/x", "mv a .git/hooks/x", "mv -t /tmp a", "mv .env a", "mv a sub/.roo"] },
  },
};
