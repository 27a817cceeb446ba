import { type CallSite, type Capability, type CapabilityProvider, type Engine, ToolwrightError } from "@toolwright/engine";
import { type Clock, type ForeignMarks, type RoomRecord, type Rooms, sessionsOf } from "@toolwright/engine/ports";
import { takeMarks } from "../take-marks.ts";
import { isInCycle } from "./room-harness.ts";

/** What an agent does in a cycle of its room. */
export interface RoomWork {
  /** Says something to one of the people, or to all. Rejects with `invalid_input` for somebody who is not in the room. */
  send(text: string, to?: string): Promise<void>;
  /** Rejects with `invalid_input` for an event that the cycle did not take. */
  complete(event: number, outcome?: string): Promise<void>;
  /** The next cycle begins a new conversation with this. */
  compact(summary: string): Promise<void>;
}

export interface RoomPosts {
  /** Adds an event and gives its number. Rejects with `room_not_found`, and with `effect_refused` in a cycle of a room. */
  post(room: string, message: string): Promise<number>;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** Works in the room of the calling agent, or posts events for agents of rooms. */
    rooms: Capability<"work", RoomWork> | Capability<"post", RoomPosts>;
  }
}

export interface RoomsParts {
  readonly engine: Pick<Engine, "operate">;
  readonly rooms: Rooms;
  readonly foreign: ForeignMarks;
  readonly clock: Clock;
}

/** Gives `ctx.rooms`. `parts` is asked at the first call: it holds the engine that the capability is given to. */
export function roomsCapability(parts: () => RoomsParts): CapabilityProvider<"rooms"> {
  return {
    name: "rooms",
    // What the agent of a room does is weighed with the tools that it calls, each by itself.
    weigh: () => ({ changes: false, openWorld: false }),
    open: (effect, site) => (effect === "work" ? workIn(site, parts()) : postAs(site, parts())),
  };
}

function workIn({ session: conversation, principal }: CallSite, { rooms, foreign, clock }: RoomsParts): RoomWork {
  const { tenant } = principal;
  const requireOwn = async (): Promise<RoomRecord> => {
    const room = await rooms.working(tenant, conversation);
    if (room) return room;
    throw new ToolwrightError("effect_refused", "The cycle of this room is over, so nothing was done.");
  };
  return {
    async send(text, to) {
      const room = await requireOwn();
      if (to !== undefined && !room.people.includes(to)) {
        const names = room.people.join(", ") || "nobody by name";
        throw new ToolwrightError(
          "invalid_input",
          `${JSON.stringify(to)} is not in this room. In it: ${names}. Leave to out to write to all.`,
        );
      }
      const [read] = await foreign.of(tenant, sessionsOf(principal, conversation));
      await rooms.say(room, { text, at: clock.now(), ...(to !== undefined && { to }), ...(read && { foreign: read }) });
    },
    async complete(event, outcome) {
      const room = await requireOwn();
      if (await rooms.complete(room, { event, outcome, at: clock.now() })) return;
      throw new ToolwrightError("invalid_input", `This cycle has no event ${event}. Complete events of the message that began it.`);
    },
    async compact(summary) {
      await rooms.compact(await requireOwn(), summary);
    },
  };
}

function postAs(site: CallSite, { engine, rooms, foreign, clock }: RoomsParts): RoomPosts {
  const { principal } = site;
  return {
    async post(room, message) {
      if (isInCycle(principal))
        throw new ToolwrightError(
          "effect_refused",
          "An agent posts nothing while it works in a room: rooms would keep each other busy for ever.",
        );
      // Before the post, which a cycle may take up at once. The room's own id stands for all that was posted to it.
      if (await rooms.get({ tenant: principal.tenant, id: room })) await takeMarks(site, room, { foreign, clock });
      const { event } = await engine.operate(principal, "rooms.post", { id: room, message });
      return event;
    },
  };
}
