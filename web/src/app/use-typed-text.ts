import { useDebouncedCallback } from "@mantine/hooks";
import { useCallback, useEffect, useRef, useState } from "react";

const pauseMs = 250;

/** What is typed, at once; `onPause` has it from the first pause on, which is when the URL changes. `value` is as the URL has it. */
export function useTypedText(value: string, onPause: (text: string) => void): readonly [text: string, type: (text: string) => void] {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useDebouncedCallback((typed: string) => {
    told.current = typed;
    onPause(typed);
  }, pauseMs);
  useEffect(() => {
    // Changed elsewhere, as by going back.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  const type = useCallback(
    (typed: string) => {
      setText(typed);
      tell(typed);
    },
    [tell],
  );
  return [text, type];
}
