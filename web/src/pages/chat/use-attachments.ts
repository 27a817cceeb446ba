import { useState } from "react";
import { useDrop } from "../../parts/use-drop.ts";
import { type Attaching, nothingAttached, takeFiles } from "./take-files.ts";

/** Files that go with the next message: dropped anywhere on the page, pasted or picked. */
export function useAttachments() {
  const [{ files, problems }, set] = useState<Attaching>(nothingAttached);
  const add = async (given: readonly File[]) => {
    const taken = await takeFiles(given);
    set((had) => taken(had.files));
  };
  const isOver = useDrop(add);
  return {
    ...{ files, problems, isOver, add },
    remove: (file: File) => set(({ files: had }) => ({ files: had.filter((each) => each !== file), problems: [] })),
    clear: () => set(nothingAttached),
  };
}
