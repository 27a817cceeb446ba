import type { ReactNode } from "react";

/** Stands in for rjsf's Markdown: what a schema describes is shown as it was written. */
export function Markdown({ children }: { readonly children?: ReactNode }) {
  return <>{children}</>;
}
