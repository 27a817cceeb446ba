import type { TurnRef, Turns } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { beginTurn } from "./begin-turn.ts";
import { writeContext } from "./contexts.ts";
import { keepStep } from "./keep-step.ts";
import { listLost, listTurns } from "./list-turns.ts";
import { readMessages, readWaiting } from "./messages.ts";
import { readNews } from "./read-news.ts";
import { sumTurnUsage } from "./sum-turn-usage.ts";
import { takeTurn } from "./take-turn.ts";
import { findTurn } from "./turn-row.ts";
import { cancelTurn, endTurn, holdTurn, waitInTurn } from "./write-turn.ts";

/** Announced with the turn's id: it changed. */
const turnsTopic = "turns";

export function announceTurn(database: Database, { tenant, id }: TurnRef): void {
  database.announce({ topic: turnsTopic, tenant, id });
}

/** Turns in PostgreSQL: the index of open turns lets one of any number of runs begin in a conversation. Each function is one transaction. */
export function createPostgresTurns(database: Database): Turns {
  /** Tells of the turn where something came of it. */
  const change = async <Result>(ref: TurnRef, work: (query: Query) => Promise<Result>): Promise<Result> => {
    const result = await database.asTenant(ref.tenant, work);
    if (result) announceTurn(database, ref);
    return result;
  };
  return {
    async begin(turn, message, lease) {
      const begun = await database.asTenant(turn.tenant, (query) => beginTurn(query, turn, { message, lease }));
      announceTurn(database, begun.turn);
      return begun;
    },
    get: (ref) => database.asTenant(ref.tenant, (query) => findTurn(query, ref)),
    list: (tenant, filter) => database.asTenant(tenant, (query) => listTurns(query, tenant, filter)),
    usage: (filter) => database.asTenant(filter.tenant, (query) => sumTurnUsage(query, filter)),
    messages: (filter) => database.asTenant(filter.tenant, (query) => readMessages(query, filter)),
    queued: (of) => database.asTenant(of.tenant, (query) => readWaiting(query, of)),
    take: (ref, lease, now) => change(ref, (query) => takeTurn(query, ref, { lease, now })),
    lost: (filter) => database.asSystem((query) => listLost(query, filter)),
    news: (held, next) => readNews(database, held, next),
    async keep(held, step) {
      const isKept = await keepStep(database, held, step);
      if (isKept && step.delivered.length > 0) announceTurn(database, held);
      return isKept;
    },
    keepContext: (held, context) => database.asTenant(held.tenant, (query) => writeContext(query, held, context)),
    hold: (held, change) => database.asTenant(held.tenant, (query) => holdTurn(query, held, change)),
    wait: (held, waiting) => change(held, (query) => waitInTurn(query, held, waiting)),
    end: (held, ending) => change(held, (query) => endTurn(query, held, ending)),
    cancel: (ref, reason) => change(ref, (query) => cancelTurn(query, ref, reason)),
    follow: (tenant, listener) =>
      database.listen(turnsTopic, (announcement) => {
        if (!announcement || announcement.tenant === tenant) listener(announcement?.id);
      }),
  };
}
