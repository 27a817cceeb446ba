import type { JobRecord } from "@toolwright/engine/ports";
import type { Area } from "./area.ts";
import { owner, principalOf, type World } from "./open-world.ts";

const later = () => Date.now() + 3_600_000;
const call = { tool: "pay", input: { euros: 5 } };

const enqueue = ({ store }: World, tenant: string, more: object): Promise<JobRecord> =>
  store.jobs.enqueue(principalOf(tenant), { ...call, runAt: later(), ...more });

/** Managers see those of others, too. */
const ownOf = <Made extends Pick<JobRecord, "principal">>(tenant: string, made: readonly Made[]) =>
  made.filter(({ principal }) => principal.actor.id === principalOf(tenant).actor.id);

/** What the tenant hears of while the owner's jobs change. */
async function follow(world: World, tenant: string, id: string): Promise<readonly string[]> {
  const { jobs } = world.store;
  const heard: string[] = [];
  const last = Promise.withResolvers<void>();
  const marks = new Set<string>();
  const stops = [
    jobs.follow(tenant, (job) => void (job !== undefined && heard.push(job))),
    jobs.follow(owner, (job) => void (job !== undefined && marks.has(job) && last.resolve())),
  ];
  await jobs.cancel(principalOf(owner), id).catch(() => undefined);
  await jobs.redrive(principalOf(owner), id).catch(() => undefined);
  // Announcements come in their order: with this one the others have come.
  const mark = await enqueue(world, owner, {});
  marks.add(mark.id);
  await jobs.cancel(principalOf(owner), mark.id);
  await last.promise;
  for (const stop of stops) stop();
  return [...new Set(heard)].filter((job) => job !== mark.id);
}

const jobs: Area = {
  make: async (world, tenant, name) => (await enqueue(world, tenant, { idempotencyKey: name })).id,
  look: ({ store }, tenant, id) => store.jobs.get(principalOf(tenant), id),
  byId: {
    "store.jobs.get": ({ store }, tenant, id) => store.jobs.get(principalOf(tenant), id),
    "store.jobs.cancel": ({ store }, tenant, id) => store.jobs.cancel(principalOf(tenant), id),
    "operations.jobs.get": ({ operateOf }, tenant, id) => operateOf(tenant)("jobs.get", { id }),
    "operations.jobs.cancel": ({ operateOf }, tenant, id) => operateOf(tenant)("jobs.cancel", { id }),
    "operations.jobs.redrive": ({ operateOf }, tenant, id) => operateOf(tenant)("jobs.redrive", { id }),
    "operations.jobs.remove": ({ operateOf }, tenant, id) => operateOf(tenant)("jobs.remove", { id }),
    "operations.jobs.enqueue (after another job)": ({ operateOf }, tenant, id) =>
      operateOf(tenant)("jobs.enqueue", { ...call, dependsOn: [id] }),
    "store.jobs.redrive": ({ store }, tenant, id) => store.jobs.redrive(principalOf(tenant), id),
    "store.jobs.remove": ({ store }, tenant, id) => store.jobs.remove(principalOf(tenant), id),
    "store.jobs.enqueue (after another job)": (world, tenant, id) => enqueue(world, tenant, { dependsOn: [id] }),
  },
  lists: {
    "store.jobs.list": ({ store }, tenant) => store.jobs.list(principalOf(tenant)),
    "operations.jobs.list": ({ operateOf }, tenant) => operateOf(tenant)("jobs.list", {}),
  },
};

const jobsToHearOf: Area = {
  make: jobs.make,
  // Following changes a job of the owner's.
  look: () => undefined,
  byId: { "store.jobs.follow": follow },
};

const jobsByKey: Area = {
  make: (world, tenant, name) => enqueue(world, tenant, { idempotencyKey: name }).then(() => name),
  look: async ({ store }, tenant) => ownOf(tenant, await store.jobs.list(principalOf(tenant))),
  byId: {
    "operations.jobs.enqueue (with a key)": ({ operateOf }, tenant, idempotencyKey) =>
      operateOf(tenant)("jobs.enqueue", { ...call, idempotencyKey, input: { euros: 6 } }).then(({ state }) => state),
    "store.jobs.enqueue (with a key)": (world, tenant, idempotencyKey) => enqueue(world, tenant, { idempotencyKey, input: { euros: 6 } }),
  },
};

const add = ({ store }: World, tenant: string, name: string) =>
  store.schedules.add(principalOf(tenant), { ...call, name, when: { cron: "0 0 1 1 *" } });
const listSchedules = ({ store }: World, tenant: string) => store.schedules.list(principalOf(tenant));

const lookAtSchedules = async (world: World, tenant: string) => ownOf(tenant, await listSchedules(world, tenant));

const schedules: Area = {
  make: async (world, tenant, name) => (await add(world, tenant, name)).id,
  look: lookAtSchedules,
  byId: {
    "store.schedules.remove (by its id)": ({ store }, tenant, id) => store.schedules.remove(principalOf(tenant), id),
    "store.schedules.pause (by its id)": ({ store }, tenant, id) => store.schedules.pause(principalOf(tenant), id, true),
    "operations.schedules.pause": ({ operateOf }, tenant, id) => operateOf(tenant)("schedules.pause", { id, paused: true }),
    "operations.schedules.remove": ({ operateOf }, tenant, id) => operateOf(tenant)("schedules.remove", { id }),
  },
  lists: {
    "store.schedules.list": listSchedules,
    "operations.schedules.list": ({ operateOf }, tenant) => operateOf(tenant)("schedules.list", {}),
  },
};

const schedulesByName: Area = {
  make: (world, tenant, name) => add(world, tenant, name).then(() => name),
  look: lookAtSchedules,
  byId: {
    "store.schedules.add": add,
    "operations.schedules.create": ({ operateOf }, tenant, name) =>
      operateOf(tenant)("schedules.create", { ...call, name, when: { cron: "0 0 1 1 *" } }),
    "store.schedules.remove (by its name)": ({ store }, tenant, name) => store.schedules.remove(principalOf(tenant), name),
    "store.schedules.pause (by its name)": ({ store }, tenant, name) => store.schedules.pause(principalOf(tenant), name, true),
  },
};

export const jobAreas: readonly Area[] = [jobs, jobsToHearOf, jobsByKey, schedules, schedulesByName];
