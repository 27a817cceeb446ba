import { lazy, Suspense } from "react";
import type { ShownOnceProps } from "./shown-once-box.tsx";

const Box = lazy(async () => ({ default: (await import("./shown-once-box.tsx")).ShownOnceBox }));

/** What the server tells a single time. */
export function ShownOnce(props: ShownOnceProps) {
  return (
    <Suspense>
      <Box {...props} />
    </Suspense>
  );
}
