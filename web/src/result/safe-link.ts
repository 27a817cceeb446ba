const taken = new Set(["http:", "https:", "mailto:"]);

/** The link where it leads to the web or to mail, else nothing. */
export function safeLink(link: string): string {
  try {
    return taken.has(new URL(link).protocol) ? link : "";
  } catch {
    return "";
  }
}

/** Where an image would come from. */
export function hostOf(source: unknown): string {
  try {
    const { host, protocol } = new URL(String(source));
    return host || protocol;
  } catch {
    return "";
  }
}
