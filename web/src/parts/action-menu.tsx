import { Button } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { Action } from "./action-menu-box.tsx";

// Loaded when somebody opens one.
const Box = lazy(async () => ({ default: (await import("./action-menu-box.tsx")).ActionMenuBox }));

interface ActionMenuProps {
  readonly actions: readonly Action[];
  /** What is to be known before one is chosen. */
  readonly note?: string | undefined;
  /** Read out in place of what the button shows. */
  readonly label?: string | undefined;
  readonly children: ReactNode;
}

/** A button that offers a few things to do. */
export function ActionMenu({ actions, note, label, children }: ActionMenuProps) {
  const [isWanted, want] = useState(false);
  const look = { size: "compact-sm", variant: "default", "aria-label": label } as const;
  const closed = (
    <Button {...look} aria-haspopup="menu" aria-expanded={false} onClick={() => want(true)}>
      {children}
    </Button>
  );
  if (!isWanted) return closed;
  return (
    <Suspense fallback={closed}>
      <Box actions={actions} note={note}>
        <Button {...look}>{children}</Button>
      </Box>
    </Suspense>
  );
}
