import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchers, recorded } from "./command-grammar.ts";

/** What real bash did with one line. */
export interface Observation {
  /** The argv of every program that was started, in the order of their records. */
  readonly started: readonly (readonly string[])[];
  /** Names in the folder that the line ran in, which was empty. */
  readonly files: readonly string[];
}

/** Writes its argv as text: each word ended by U+0001, each record by U+0002, in one write. */
const stub = `#!/bin/sh
line="\${0##*/}\u0001"
for word in "$@"; do line="$line$word\u0001"; done
printf '%s\u0002' "$line" >>"$RECORD"
`;

const driver = `
PATH=/usr/bin
for case in /stage/lines/*; do
  number=\${case##*/}
  IFS= read -r -d '' text <"$case"
  cd "/stage/work/$number"
  RECORD="/stage/records/$number" PATH=/stage/bin /usr/bin/timeout -s KILL 5 /usr/bin/bash --noprofile --norc -c "$text" </dev/null >/dev/null 2>&1
  cd /
done
exit 0
`;

const isolation =
  "--ro-bind /usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent --clearenv".split(
    " ",
  );

/** True where bubblewrap can be used. */
export const canRecord = spawnSync("bwrap", [...isolation, "--", "true"]).status === 0;

/** Runs every line in bash, each in an empty folder of its own, all in one sandbox in which only the recorder's programs are found. */
export function observeLines(lines: readonly string[]): readonly Observation[] {
  const stage = mkdtempSync(join(tmpdir(), "toolwright-fuzz-"));
  try {
    for (const folder of ["bin", "lines", "work", "records"]) mkdirSync(join(stage, folder));
    for (const name of recorded) writeFileSync(join(stage, "bin", name), stub, { mode: 0o755 });
    for (const name of launchers) symlinkSync(`/usr/bin/${name}`, join(stage, "bin", name));
    for (const [index, line] of lines.entries()) {
      writeFileSync(join(stage, "lines", String(index)), line);
      mkdirSync(join(stage, "work", String(index)));
    }
    writeFileSync(join(stage, "driver"), driver);
    const argv = [...isolation, "--bind", stage, "/stage", "--setenv", "PATH", "/stage/bin", "--", "/usr/bin/bash", "/stage/driver"];
    const { status, stderr } = spawnSync("bwrap", argv, { encoding: "utf8", timeout: 600_000 });
    if (status !== 0) throw new Error(`The recorder ended with ${status}: ${stderr}`);
    return lines.map((_, index) => readObservation(stage, String(index)));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function readObservation(stage: string, number: string): Observation {
  const file = join(stage, "records", number);
  const records = existsSync(file) ? readFileSync(file, "utf8") : "";
  return {
    started: records
      .split("\u0002")
      .slice(0, -1)
      .map((record) => record.split("\u0001").slice(0, -1)),
    files: readdirSync(join(stage, "work", number)),
  };
}
