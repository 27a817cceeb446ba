import { useEffect, useRef, useState } from "react";

/** Files dropped anywhere on the page. True while some are held over it. */
export function useDrop(take: (files: readonly File[]) => Promise<void>): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
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
  return isOver;
}
