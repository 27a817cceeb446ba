import type { Failure } from "./result.ts";

/** A file that a call would write or delete, for a comparison with the file as it is. */
export interface FilePreview {
  readonly kind: "file";
  /** As the call names it in its reaches. */
  readonly path: string;
  /** The file that its text comes from, where that is another one: it is compared with that. */
  readonly from?: string;
  /** Members of the input that the comparison shows whole, so that they are not shown again. */
  readonly shows: readonly string[];
  /** The text that the file would hold after the text that it holds now; undefined stands for no file. A failure is what the call would end with. */
  readonly apply: (before: string | undefined) => string | undefined | Failure;
}

/** A request that a call would send. A secret is its name. */
interface RequestPreview {
  readonly kind: "request";
  readonly method: string;
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body?: string | undefined;
  readonly credential?: string | undefined;
  /** Members of the input that these words show whole, so that they are not shown again. */
  readonly shows: readonly string[];
}

/** What a call comes to, for the person who is asked about it. */
export type CallPreview = FilePreview | RequestPreview;
