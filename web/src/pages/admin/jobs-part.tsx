import { type Item, write } from "../../api/queries.ts";
import { useUrl } from "../../app/use-url.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Act, PartList, useDialog } from "../../parts/part-list.tsx";
import { When } from "../../parts/when.tsx";
import classes from "./admin-page.module.css";
import { JobDetail } from "./job-detail.tsx";

type Job = Item<"jobs.list">;
const open = ["blocked", "queued", "running"] as const;
const dead = ["failed", "denied", "unknown", "skipped"] as const;
const isOpen = ({ state }: Job) => open.some((each) => each === state);
const isDead = ({ state }: Job) => dead.some((each) => each === state);

/** Background calls, and those that did not end well. */
export function JobsPart() {
  const [dialog, ask] = useDialog();
  const [{ show, job }, change] = useUrl();
  const act =
    (name: "cancel" | "redrive" | "remove", { id, tool }: Job, words: string) =>
    (close: () => void) => (
      <FormDialog
        title={`${titles[name]} the job of ${tool}?`}
        act={`${titles[name]} job`}
        close={close}
        fields={
          name === "redrive"
            ? [{ name: "mayRepeat", label: "Also where it may have had its effect already", kind: "yes", value: false }]
            : []
        }
        submit={({ mayRepeat }) =>
          name === "redrive" ? write("jobs.redrive", { id, mayRepeat: mayRepeat === true }) : write(`jobs.${name}`, { id })
        }
      >
        <p>{words}</p>
      </FormDialog>
    );
  return (
    <>
      <div className={classes.bar}>
        <label>
          <input
            type="checkbox"
            checked={show === "dead"}
            onChange={(event) => change({ show: event.currentTarget.checked ? "dead" : undefined })}
          />{" "}
          Only dead letters
        </label>
      </div>
      <PartList
        of="jobs.list"
        input={show === "dead" ? { states: [...dead] } : {}}
        label={show === "dead" ? "Dead letters" : "Jobs"}
        empty={show === "dead" ? "Jobs that did not end well wait here." : "Calls that workers make in the background are listed here."}
        keyOf={({ id }) => id}
        columns={[
          { name: "Tool", show: ({ tool }) => <code>{tool}</code>, by: ({ tool }) => tool },
          { name: "State", show: ({ state, reason }) => (reason ? `${state}: ${reason}` : state), by: ({ state }) => state },
          { name: "Tries", show: ({ attempts, retry }) => `${attempts} of ${retry.attempts}`, by: ({ attempts }) => attempts },
          { name: "Due", show: ({ runAt }) => <When at={runAt} />, by: ({ runAt }) => runAt },
        ]}
        acts={(row) => (
          <>
            <Act name="Show" thing={row.id} onClick={() => change({ job: row.id })} />
            {isOpen(row) && (
              <Act name="Cancel" thing={row.id} onClick={() => ask(act("cancel", row, "It ends, or its running call is asked to."))} />
            )}
            {isDead(row) && (
              <Act
                name="Retry"
                thing={row.id}
                onClick={() => ask(act("redrive", row, "It gets another try, and so do jobs that were skipped for it."))}
              />
            )}
            {!isOpen(row) && (
              <Act
                name="Delete"
                thing={row.id}
                onClick={() => ask(act("remove", row, "It goes off the list. What it did stays in the log."))}
              />
            )}
          </>
        )}
      />
      {job !== undefined && <JobDetail key={job} id={job} close={() => change({ job: undefined })} />}
      <Schedules />
      {dialog}
    </>
  );
}

const titles = { cancel: "Cancel", redrive: "Retry", remove: "Delete" } as const;

function Schedules() {
  const [dialog, ask] = useDialog();
  const change = (name: "Pause" | "Resume" | "Remove", schedule: Item<"schedules.list">) => (close: () => void) => (
    <FormDialog
      title={`${name} the schedule ${schedule.name}?`}
      act={`${name} ${schedule.name}`}
      fields={[]}
      close={close}
      submit={() =>
        name === "Remove"
          ? write("schedules.remove", { id: schedule.id })
          : write("schedules.pause", { id: schedule.id, paused: name === "Pause" })
      }
    >
      <p>{name === "Remove" ? "What it was allowed goes with it. Jobs that it made stay." : "You can take this back at any time."}</p>
    </FormDialog>
  );
  return (
    <section className={classes.section}>
      <h2>Schedules</h2>
      <PartList
        of="schedules.list"
        label="Schedules"
        empty="Calls at times to come are listed here."
        keyOf={({ id }) => id}
        columns={[
          { name: "Name", show: ({ name }) => name },
          { name: "Tool", show: ({ tool }) => <code>{tool}</code> },
          { name: "When", show: ({ cron, zone }) => (cron === undefined ? "once" : `${cron} ${zone}`) },
          {
            name: "Next",
            show: ({ isPaused, pauseReason, waitReason, nextAt }) =>
              isPaused ? (pauseReason ?? "paused") : (waitReason ?? (nextAt ? <When at={nextAt} /> : "over")),
          },
        ]}
        acts={(row) => (
          <>
            <Act
              name={row.isPaused ? "Resume" : "Pause"}
              thing={row.name}
              onClick={() => ask(change(row.isPaused ? "Resume" : "Pause", row))}
            />
            <Act name="Remove" thing={row.name} onClick={() => ask(change("Remove", row))} />
          </>
        )}
      />
      {dialog}
    </section>
  );
}
