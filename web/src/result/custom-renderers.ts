import type { ComponentType } from "react";

export interface CustomRendererProps {
  readonly value: unknown;
  readonly config: Readonly<Record<string, unknown>>;
}

/** What shows a `custom` block, by the name that its spec asks for. */
export const customRenderers = new Map<string, ComponentType<CustomRendererProps>>();
