import { oneLine } from "../../contract/visible-text.ts";
import type { Rendering } from "../shell.ts";

interface Memory {
  readonly key: string;
  readonly content: string;
  readonly category: string;
  readonly trust: string;
  readonly savedAt: number;
}

interface OpenedMemory extends Memory {
  readonly sources: readonly { readonly place?: string | undefined }[];
  readonly expiresAt?: number | undefined;
  readonly versions: readonly (Pick<Memory, "savedAt" | "content"> & {
    readonly version: number;
    readonly by: { readonly kind: string; readonly id: string };
  })[];
}

type Memories = { readonly items: readonly Memory[] };

export const memoriesView: Rendering<Memories> = {
  show: ({ items }) =>
    items.length === 0
      ? ["There are no memories. See who has some with: toolwright memory owners"]
      : [{ head: ["key", "category", "trust", "saved", "content"], rows: items.map(toRow) }],
};

export const exportedMemoriesView: Rendering<Memories> = { show: ({ items }) => items.map((item) => ({ json: item })) };

interface Imported {
  readonly saved: number;
  readonly unchanged: number;
}

/** View of an imported file, whose entries are saved a part at a time. */
export const importedMemoriesView: Rendering<Imported> = {
  showOfAll(answers) {
    const { saved, unchanged } = sumOf(answers);
    return [{ note: `Saved ${saved}; ${unchanged} were there already.` }];
  },
  jsonOfAll: (answers) => sumOf(answers),
};

const sumOf = (answers: readonly Imported[]): Imported => ({
  saved: answers.reduce((sum, { saved }) => sum + saved, 0),
  unchanged: answers.reduce((sum, { unchanged }) => sum + unchanged, 0),
});

export const memoryView: Rendering<OpenedMemory> = {
  show: ({ key, category, trust, expiresAt, sources, versions }) => {
    const places = sources.flatMap(({ place }) => place ?? []);
    return [
      `${oneLine(key)}: ${category}, ${trust}${expiresAt === undefined ? "" : `, expires ${day(expiresAt)}`}`,
      ...(places.length === 0 ? [] : [`From ${places.map(oneLine).join(", ")}`]),
      ...versions.map(
        ({ version, savedAt, by, content }) => `\nVersion ${version}, ${day(savedAt)}, ${by.kind} ${oneLine(by.id)}\n${content}`,
      ),
    ];
  },
};

export const savedMemoryView: Rendering<{ readonly key: string; readonly version: number }> = {
  show: ({ key, version }) => [`${key}${version === 1 ? "" : ` (version ${version})`}`],
};

export const removedMemoryView: Rendering<{ readonly removed: number }> = {
  show: ({ removed }, { input }) => [
    { note: `Removed ${oneLine(String(input.key))} (${removed === 1 ? "1 version" : `${removed} versions`}).` },
  ],
};

const day = (at: number) => new Date(at).toISOString().slice(0, 10);

const toRow = ({ key, category, trust, savedAt, content }: Memory) => [key, category, trust, day(savedAt), content];
