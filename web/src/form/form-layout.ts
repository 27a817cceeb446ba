/** A part of a form with a heading. */
export interface Group {
  readonly title: string;
  readonly help?: string;
  readonly fields: readonly string[];
}

/** What stands in a form from top to bottom: a field, or a group of them. */
export type LayoutPart = { readonly field: string } | { readonly group: Group };

export interface Layout {
  readonly parts: readonly LayoutPart[];
  /** Fields under "More options". */
  readonly more: readonly string[];
}

/** A group stands where the first of its fields would. A field that is rarely filled leaves its group for "More options". */
export function layOut(
  names: readonly string[],
  { groups, more }: { readonly groups: readonly Group[]; readonly more: readonly string[] },
): Layout {
  const shown = names.filter((name) => !more.includes(name));
  const parts = shown.flatMap((name): readonly LayoutPart[] => {
    const group = groups.find(({ fields }) => fields.includes(name));
    if (!group) return [{ field: name }];
    const fields = group.fields.filter((each) => shown.includes(each));
    return fields[0] === name ? [{ group: { ...group, fields } }] : [];
  });
  return { parts, more: names.filter((name) => more.includes(name)) };
}
