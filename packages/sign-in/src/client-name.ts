import { visibleText } from "@toolwright/engine/ports";

/** Characters of the name that a program gives itself. */
export const longestClientName = 100;

/** The name of a program as people are shown it: nothing in it is hidden, or turns round what stands beside it. */
export function shownClientName({ name, client_id }: { readonly name: string | null; readonly client_id: string }): string {
  return visibleText(name ?? client_id);
}
