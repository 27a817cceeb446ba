import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { isTyping } from "../app/use-hotkeys.ts";
import { stepOf } from "./step-of.ts";
import classes from "./virtual-list.module.css";

/** Of the one thing of a row that takes the focus, which also has `data-row`. */
export type RowIndex = 0 | -1;

interface VirtualListProps {
  readonly label: string;
  readonly className?: string | undefined;
  readonly count: number;
  /** Pixels of a row, or of one that is not open. */
  readonly height: number;
  /** Rows are as high as what they hold. */
  readonly isMeasured?: boolean;
  /** Rows above and below those in sight that are in the page, too. */
  readonly beyond?: number;
  readonly keyOf: (index: number) => string;
  readonly row: (index: number, tabIndex: RowIndex) => ReactNode;
  /** The last rows are near. */
  readonly onEnd?: () => void;
}

const nearEnd = 20;

/**
 * Rows of which only those in sight are in the page, however many there are. Tab reaches one of them; `j`, `k`, arrows, Home, End and the page keys
 * go on from there.
 */
export function VirtualList({ label, className = "", count, height, isMeasured = false, beyond = 8, keyOf, row, onEnd }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<number>(undefined);
  const [current, setCurrent] = useState(0);
  const at = Math.min(current, count - 1);
  const { getVirtualItems, getTotalSize, scrollToIndex, measureElement } = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: keyOf,
    overscan: beyond,
    // The one that has the focus stays, or the focus would be lost.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), at])].sort((a, b) => a - b),
  });
  const shown = getVirtualItems();
  const last = shown.findLast(({ index }) => index !== at)?.index ?? at;
  useEffect(() => {
    if (last >= count - nearEnd) onEnd?.();
  }, [last, count, onEnd]);
  const focusWanted = () => {
    const target = wanted.current !== undefined && box.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] [data-row]`);
    if (!target) return;
    wanted.current = undefined;
    target.focus();
  };
  // Before the next key: the row that had the focus may be gone with this very change.
  useLayoutEffect(focusWanted);
  const go = (index: number) => {
    wanted.current = index;
    setCurrent(index);
    scrollToIndex(index);
    focusWanted();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches("[data-row]") || isTyping(event.target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = stepOf(event.key, { at, count, page: Math.floor((box.current?.clientHeight ?? height) / height) });
    if (next === undefined) return;
    event.preventDefault();
    go(next);
  };
  useFirstKey(() => go(at));
  return (
    <div ref={box} className={`${classes.box} ${className}`}>
      <ul className={classes.rows} style={{ height: getTotalSize() }} aria-label={label} onKeyDown={onKeyDown}>
        {shown.map(({ index, start, key }) => (
          <li
            key={key}
            data-index={index}
            ref={isMeasured ? measureElement : undefined}
            style={{ transform: `translateY(${start}px)`, ...(!isMeasured && { height }) }}
            aria-setsize={-1}
            aria-posinset={index + 1}
            onFocus={() => setCurrent(index)}
          >
            {row(index, index === at ? 0 : -1)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** `j` or `k` where nothing has the focus enters the list. */
function useFirstKey(enter: () => void): void {
  const latest = useRef(enter);
  latest.current = enter;
  useEffect(() => {
    const onKey = ({ key, ctrlKey, metaKey, altKey }: globalThis.KeyboardEvent) => {
      const isFree = document.activeElement === document.body || document.activeElement?.id === "content";
      if ((key === "j" || key === "k") && isFree && !(ctrlKey || metaKey || altKey)) latest.current();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
