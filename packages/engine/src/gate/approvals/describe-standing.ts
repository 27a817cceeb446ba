import { oneLine } from "../../contract/visible-text.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";

/** Programs and files that a person is shown; the record has all. */
const maxShown = 12;

export interface StandingLine {
  readonly label: "folder" | "runs" | "holds";
  readonly text: string;
}

/**
 * What the words of a waiting call come to, line by line: the real folder, the programs that would run, and the files whose change voids the
 * approval. Empty for a call that names nothing on the machine.
 */
export function describeStanding({ standsFor = [], binding }: Pick<ApprovalRecord, "standsFor" | "binding">): readonly StandingLine[] {
  const folders = unique(standsFor.flatMap(({ folder }) => (folder === undefined ? [] : oneLine(folder))));
  const programs = standsFor.flatMap(({ programs = [] }) => programs);
  const words = new Set(programs.map(({ word }) => word));
  const files = (binding.parts ?? []).flatMap(([name]) => (words.has(name) ? [] : JSON.stringify(oneLine(name))));
  return [
    ...folders.map((text) => ({ label: "folder", text }) as const),
    ...cut(
      unique(programs.map(({ word, path }) => `${oneLine(word)}: ${path === undefined ? "not found" : oneLine(path)}`)),
      "programs",
    ).map((text) => ({ label: "runs", text }) as const),
    ...(files.length > 0 ? [{ label: "holds", text: cut(unique(files), "files").join(", ") } as const] : []),
  ];
}

const unique = (texts: readonly string[]) => [...new Set(texts)];

function cut(texts: readonly string[], what: string): readonly string[] {
  return texts.length <= maxShown ? texts : [...texts.slice(0, maxShown), `${texts.length - maxShown} more ${what}`];
}
