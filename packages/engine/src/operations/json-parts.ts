import { z } from "zod";
import { anyObject } from "../schema/any-json.ts";

/** A JSON Schema, of a tool or of a document. */
export const jsonSchema = anyObject("A JSON Schema 2020-12");

/** The beginning of the year 1 and the end of the year 9999: every store and every form of a date holds these. */
const times = { first: Date.parse("0001-01-01T00:00:00Z"), last: Date.parse("9999-12-31T23:59:59.999Z") };

/** Milliseconds since the epoch. */
export const time = (description: string) =>
  z.int().min(times.first).max(times.last).describe(`${description}, in milliseconds since the epoch`);

/** A part of a list; `next` reads on after it. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** What to give as `after` for the next page; absent on the last one. */
  readonly next?: string | undefined;
}

export const pageOf = <Item>(item: z.ZodType<Item>): z.ZodType<Page<Item>> =>
  z.object({
    items: z.array(item),
    next: z.string().optional().describe("What to give as `after` for the next page; absent on the last one"),
  });

/** A list that has no pages. */
export const listOf = <Item>(item: z.ZodType<Item>): z.ZodType<{ readonly items: readonly Item[] }> => z.object({ items: z.array(item) });

export const actor = z.object({ kind: z.enum(["user", "agent", "service"]), id: z.string() });

export const after = z.string().optional().describe("Reads on after the page that gave this as `next`");
export const limitUpTo = (most: number, usual: number) =>
  z.int().min(1).max(most).optional().describe(`Items of the page; default ${usual}`);
