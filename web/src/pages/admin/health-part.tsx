import { useQuery } from "@tanstack/react-query";
import { reading } from "../../api/queries.ts";
import { Failure } from "../../parts/failure.tsx";
import { SortTable } from "../../parts/sort-table.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import classes from "./admin-page.module.css";

/** 503 also says which part is not ready. */
async function readReadiness(): Promise<Readonly<Record<string, string>>> {
  return (await fetch("/readyz", { cache: "no-store" })).json() as Promise<Readonly<Record<string, string>>>;
}

/** Whether the server can do its part, and what the machine lacks. */
export function HealthPart() {
  const ready = useQuery({ queryKey: ["readyz"], queryFn: readReadiness });
  const doctor = useQuery(reading("doctor.check", {}));
  return (
    <>
      <h2>Server</h2>
      {ready.error && <Failure error={ready.error} retry={() => void ready.refetch()} />}
      {ready.data && (
        <SortTable
          label="Readiness"
          rows={Object.entries(ready.data)}
          keyOf={([name]) => name}
          columns={[
            { name: "Part", show: ([name]) => name },
            { name: "Says", show: ([, says]) => says },
          ]}
        />
      )}
      <section className={classes.section}>
        <h2>Machine</h2>
        {doctor.error && <Failure error={doctor.error} retry={() => void doctor.refetch()} />}
        {!doctor.data && !doctor.error && <Waiting />}
        {doctor.data && (
          <SortTable
            label="Checks of the machine"
            rows={doctor.data.checks}
            keyOf={({ name }) => name}
            columns={[
              { name: "Check", show: ({ name }) => name, by: ({ name }) => name },
              { name: "State", show: ({ state }) => state, by: ({ state }) => state },
              { name: "Detail", show: ({ detail }) => detail },
              { name: "What to do", show: ({ remedy }) => remedy ?? "nothing" },
            ]}
          />
        )}
      </section>
    </>
  );
}
