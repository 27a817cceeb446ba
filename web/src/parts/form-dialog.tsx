import { lazy, Suspense } from "react";
import type { FormDialogProps } from "./form-dialog-box.tsx";

// Loaded when somebody opens one.
const Box = lazy(async () => ({ default: (await import("./form-dialog-box.tsx")).FormDialogBox }));

/** A form in a dialog: it closes when the server took it, and else keeps what was typed with what was wrong beside it. */
export function FormDialog(props: FormDialogProps) {
  return (
    <Suspense>
      <Box {...props} />
    </Suspense>
  );
}
