import { hash } from "node:crypto";
import { canonicalJson } from "./json.ts";

/** SHA-256 of the text, lower-case hex. */
export function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/** SHA-256 of the canonical JSON of a value: equal values have equal digests, whatever their key order. */
export function digest(value: unknown): string {
  return sha256(canonicalJson(value));
}
