import type { Frame, Locator, Page } from "playwright-core";
import { surveyorName } from "./open-playwright.ts";
import type { Question } from "./surveyor.ts";

/** Milliseconds after which a page that does not answer counts as stuck. */
export const answerMs = 5_000;
const soonMs = 2_000;

/** What the surveyor finds for the question, in this document or below this element. */
export function locate(where: Frame | Locator, question: Question): Locator {
  return where.locator(`${surveyorName}=${JSON.stringify(question)}`);
}

/** Whether the page answers at all: one that runs a script without an end does not. */
export async function answers(page: Page): Promise<boolean> {
  return askSurveyor(page.mainFrame(), { ask: "passwords" }, soonMs).then(
    () => true,
    () => false,
  );
}

/** What the surveyor tells. Rejects when the document went away meanwhile, or does not answer. */
export async function askSurveyor<Answer>(where: Frame | Locator, question: Question, timeout = answerMs): Promise<Answer> {
  return JSON.parse((await locate(where, question).textContent({ timeout })) ?? "null");
}
