import type { ArtifactRef, Capability, Failure } from "@toolwright/engine";

/** Where a snapshot stopped, and what is there. */
export interface MoreOfPage {
  /** For `part` of the next snapshot. */
  readonly part: number;
  readonly what: string;
}

/** What happened beside the page: downloads, pages that it opened. Each a sentence for the caller. */
export type News = readonly string[];

export interface ShownPage {
  readonly url: string;
  readonly title: string;
  /** Roles, names and refs, one element a line. */
  readonly snapshot: string;
  /** Actions name it, so that none acts on a page that its caller has not seen. */
  readonly snapshotId: string;
  readonly more: MoreOfPage[];
  readonly news: News;
}

export interface FoundOnPage {
  readonly url: string;
  /** The places that hold the text, with refs that go with `snapshotId`. */
  readonly matches: string[];
  readonly snapshotId: string;
  readonly more: boolean;
}

export interface ChangedPage {
  readonly url: string;
  /** Lines that are new on the page and lines that are gone; the whole page where it is another one. */
  readonly changed: string;
  /** For what comes next. */
  readonly snapshotId: string;
  /** A dialog that the page opened and what it said; it was dismissed. */
  readonly dialog: string | null;
  readonly news: News;
}

interface OnElement {
  readonly snapshotId: string;
  readonly ref: string;
}

/** What changes something on a page, or may. */
export type PageAction =
  | (OnElement & { readonly kind: "click"; readonly double?: boolean })
  | (OnElement & { readonly kind: "type"; readonly text: string; readonly submit?: boolean })
  | (OnElement & { readonly kind: "credential"; readonly name: string; readonly submit?: boolean })
  | (OnElement & { readonly kind: "select"; readonly option: string })
  | (OnElement & { readonly kind: "upload"; readonly name: string; readonly mediaType: string; readonly bytes: Uint8Array })
  | { readonly kind: "press"; readonly snapshotId: string; readonly ref?: string | undefined; readonly key: string };

export interface Screenshot {
  readonly artifact: ArtifactRef;
  /** PNG. */
  readonly bytes: Uint8Array;
  readonly url: string;
}

/**
 * The page of a call's session. *Contract:* nothing but http and https is opened, and nothing is reached that the policy's network rules do not
 * permit. What a caller can put right is an answer with a code of its own (`stale_snapshot`, `unknown_ref`, `not_possible`, `not_there`,
 * `page_failed`); other errors: `browser_unavailable`, `browser_refused`, `url_refused`, `secret_missing`.
 */
export interface BrowserPages {
  open(url: string): Promise<ShownPage | Failure>;
  snapshot(options: { readonly ref?: string | undefined; readonly part?: number | undefined }): Promise<ShownPage | Failure>;
  find(text: string): Promise<FoundOnPage | Failure>;
  wait(options: { readonly text?: string | undefined; readonly gone?: string | undefined }): Promise<ChangedPage | Failure>;
  screenshot(options: { readonly ref?: string | undefined; readonly full: boolean }): Promise<Screenshot | Failure>;
  close(): Promise<{ readonly closed: boolean }>;
}

/** Pages that a tool reads and acts on. A tool gets them for the effect `browser: "act"`. */
export interface ActingPages extends BrowserPages {
  /** Rejects at once for a ref of an older snapshot. */
  act(action: PageAction): Promise<ChangedPage | Failure>;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    browser: Capability<"read", BrowserPages> | Capability<"act", ActingPages>;
  }
}
