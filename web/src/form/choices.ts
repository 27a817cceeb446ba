import type { EnumOptionsType } from "@rjsf/utils";

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** Choices by their index: their values may be of any type. */
export function choicesOf(options: readonly EnumOptionsType[] | undefined): Choice[] {
  return (options ?? []).map(({ label }, index) => ({ value: String(index), label: String(label) }));
}
