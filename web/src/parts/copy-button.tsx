import { Button } from "@mantine/core";
import { useEffect, useState } from "react";

/** Puts text on the clipboard and says so. */
export function CopyButton({
  text,
  children = "Copy",
  hasFocus = false,
}: {
  readonly text: string | (() => string | Promise<string>);
  readonly children?: string;
  /** In a dialog: it has the focus when that opens. */
  readonly hasFocus?: boolean;
}) {
  const [state, setState] = useState<"idle" | "done" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      setState("done");
    } catch {
      setState("failed");
    }
  };
  return (
    <Button size="compact-sm" variant="default" onClick={() => void copy()} aria-live="polite" data-autofocus={hasFocus || undefined}>
      {state === "done" ? "Copied" : state === "failed" ? "Your browser blocks copying" : children}
    </Button>
  );
}
