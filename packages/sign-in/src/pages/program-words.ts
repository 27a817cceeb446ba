import { visibleText } from "@toolwright/engine/ports";
import { html, type Markup } from "../html/html.ts";

/** What a program asks for, and what it may do once it is allowed, by scope. */
const wordsOf: ReadonlyMap<string, { readonly asks: string; readonly may: string }> = new Map([
  ["tools", { asks: "use the tools that you may use", may: "uses the tools that you may use" }],
  ["approvals", { asks: "answer approvals for you", may: "answers approvals for you" }],
  ["offline_access", { asks: "keep this access without asking again, until you revoke it", may: "keeps this access until you revoke it" }],
]);

export const askedWords = (scope: string) => wordsOf.get(scope)?.asks ?? visibleText(scope);
export const allowedWords = (scope: string) => wordsOf.get(scope)?.may ?? visibleText(scope);

/** By the name that the program gave itself, which nobody has checked. */
export const selfNamed = (name: string): Markup => html`A program that calls itself <strong><bdi>${name}</bdi></strong>`;
