import type { TurnBudget, TurnHold, TurnNews, Turns } from "@toolwright/engine/ports";
import { addBudget } from "./turn-limits.ts";
import { TurnLost, type TurnRecorder } from "./turn-recorder.ts";

interface Reserving {
  readonly hold: TurnHold;
  readonly turns: Pick<Turns, "news">;
  readonly recorder: Pick<TurnRecorder, "unkept">;
}

/** Reserves what the next request takes, with what was spent and is in no store yet. Rejects with `TurnLost`. */
export async function reserve(next: TurnBudget, { hold, turns, recorder: { unkept } }: Reserving): Promise<TurnNews> {
  const news = await turns.news(hold, addBudget(next, unkept));
  if (!news) throw new TurnLost(hold.id);
  return { ...news, taken: addBudget(news.taken, unkept) };
}
