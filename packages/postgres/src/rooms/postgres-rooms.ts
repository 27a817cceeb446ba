import type { RoomRef, Rooms } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { findRoom, readEvents, readMessages, selectDue, selectList, selectWorking, toRoom } from "./read-rooms.ts";
import {
  changeRoom,
  compact,
  completeEvent,
  createRoom,
  endCycle,
  postEvent,
  removeRoom,
  resolveEvent,
  say,
  takeRoom,
} from "./write-rooms.ts";

/** Announced with the room's id: it may be due. */
const roomsTopic = "rooms";

/** Rooms in PostgreSQL: who takes one has its row locked. Each function is one transaction. */
export function createPostgresRooms(database: Database): Rooms {
  const inTenant = <Result>({ tenant }: Pick<RoomRef, "tenant">, work: (query: Query) => Promise<Result>) =>
    database.asTenant(tenant, work);
  /** Tells of the room where something came of it. */
  const change = async <Result>(ref: RoomRef, work: (query: Query) => Promise<Result>): Promise<Result> => {
    const result = await inTenant(ref, work);
    if (result) database.announce({ topic: roomsTopic, tenant: ref.tenant, id: ref.id });
    return result;
  };
  return {
    create: (room) => inTenant(room, (query) => createRoom(query, room)),
    async get(ref) {
      const row = await inTenant(ref, (query) => findRoom(query, ref));
      return row && toRoom(row);
    },
    async list(tenant, { person }) {
      return (await database.asTenant(tenant, (query) => selectList(query, tenant, person).execute())).map(toRoom);
    },
    change: (ref, changes) => inTenant(ref, (query) => changeRoom(query, ref, changes)),
    remove: (ref) => inTenant(ref, (query) => removeRoom(query, ref)),
    post: (ref, posted) => change(ref, (query) => postEvent(query, ref, posted)),
    events: (ref) => inTenant(ref, (query) => readEvents(query, ref)),
    messages: (ref) => inTenant(ref, (query) => readMessages(query, ref)),
    due: (filter) => database.asSystem((query) => selectDue(query, filter).execute()),
    take: (ref, taking) => inTenant(ref, (query) => takeRoom(query, ref, taking)),
    endCycle: (ref, ending) => change(ref, (query) => endCycle(query, ref, ending)),
    async working(tenant, conversation) {
      const row = await database.asTenant(tenant, (query) => selectWorking(query, tenant, conversation).executeTakeFirst());
      return row && toRoom(row);
    },
    complete: (ref, ended) => inTenant(ref, (query) => completeEvent(query, ref, ended)),
    say: (ref, said) => inTenant(ref, (query) => say(query, ref, said)),
    compact: (ref, summary) => inTenant(ref, (query) => compact(query, ref, summary)),
    resolve: (ref, ended) => inTenant(ref, (query) => resolveEvent(query, ref, ended)),
    onDue: (listener) => database.listen(roomsTopic, () => listener()),
  };
}
