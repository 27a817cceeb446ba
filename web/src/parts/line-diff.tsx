import { lazy, Suspense } from "react";
import type { LineDiffProps } from "./line-diff-box.tsx";
import { Waiting } from "./waiting.tsx";

// Loaded when two texts are compared.
const Box = lazy(async () => ({ default: (await import("./line-diff-box.tsx")).LineDiffBox }));

/** What a text says differently, line by line; of what stayed, the lines around it. */
export function LineDiff(props: LineDiffProps) {
  return (
    <Suspense fallback={<Waiting rows={3} />}>
      <Box {...props} />
    </Suspense>
  );
}
