import { useEffect, useRef, useState } from "react";
import { type Attaching, nothingAttached, takeFiles } from "./take-files.ts";

/** Files that go with the next message: dropped anywhere on the page, pasted or picked. */
export function useAttachments() {
  const [{ files, problems }, set] = useState<Attaching>(nothingAttached);
  const [isOver, setOver] = useState(false);
  const add = async (given: readonly File[]) => {
    const taken = await takeFiles(given);
    set((had) => taken(had.files));
  };
  const latest = useRef(add);
  latest.current = add;
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const hold = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      // Else the browser leaves the page for the file.
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (event.defaultPrevented || !event.dataTransfer?.files.length) return;
      event.preventDefault();
      void latest.current([...event.dataTransfer.files]);
    };
    addEventListener("dragover", hold, { signal });
    addEventListener("dragleave", leave, { signal });
    addEventListener("drop", drop, { signal });
    return () => leaving.abort();
  }, []);
  return {
    ...{ files, problems, isOver, add },
    remove: (file: File) => set(({ files: had }) => ({ files: had.filter((each) => each !== file), problems: [] })),
    clear: () => set(nothingAttached),
  };
}
