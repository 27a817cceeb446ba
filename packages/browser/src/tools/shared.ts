import { type Failure, isFailure } from "@toolwright/engine";
import type { ForeignContent } from "@toolwright/engine/ports";
import { z } from "zod";
import type { ChangedPage, News, ShownPage } from "../browser-pages.ts";

export const snapshotId = z.string().min(1).max(100).describe("From the last answer.");
export const ref = z.string().min(1).max(40).describe("Ref in that snapshot, such as e12.");

export const shownPage = z.object({
  url: z.string(),
  title: z.string(),
  snapshot: z.string(),
  snapshotId: z.string().describe("Goes with the refs."),
  more: z.array(z.object({ part: z.int(), what: z.string() })).describe("Not shown; browser_snapshot goes on at a part."),
});

export const changedPage = z.object({
  url: z.string(),
  changed: z.string().describe("New (+) and gone (-) lines, or the page that came."),
  snapshotId: z.string().describe("For the next action; refs that did not change stay."),
  dialog: z.string().nullable().describe("Dialog that was dismissed."),
});

interface Telling {
  note(sentence: string): void;
}

/** The answer for the schema of a tool; what happened beside the page is noted. */
export function tell<Answer extends { readonly news: News }>(answer: Answer | Failure, { note }: Telling): Omit<Answer, "news"> | Failure {
  if (isFailure(answer)) return answer;
  const { news, ...rest } = answer;
  for (const sentence of news) note(sentence);
  return rest;
}

/** Pages of one origin are one place: a session keeps few of them. */
export const readFrom = (url: string) => [{ kind: "browser" as const, place: URL.parse(url)?.origin ?? url }];

export const shownIsForeign: ForeignContent<z.output<typeof shownPage>, unknown> = {
  kind: "browser",
  sources: ({ url }) => readFrom(url),
  members: ["title", "snapshot", "what"],
};

export const changeIsForeign: ForeignContent<z.output<typeof changedPage>, unknown> = {
  kind: "browser",
  sources: ({ url }) => readFrom(url),
  members: ["changed", "dialog"],
};

export function showPage({ url, title, snapshot, snapshotId: id }: Omit<ShownPage, "news" | "more">) {
  return [{ type: "text", text: `${title}\n${url}\nsnapshotId: ${id}\n\n${snapshot}` }] as const;
}

export function showChange({ url, changed, snapshotId: id, dialog }: Omit<ChangedPage, "news">) {
  return [{ type: "text", text: `${url}\nsnapshotId: ${id}${dialog === null ? "" : `\ndialog: ${dialog}`}\n\n${changed}` }] as const;
}
