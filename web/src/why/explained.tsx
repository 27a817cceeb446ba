import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { visibleText } from "../api/client.ts";
import { type Answer, type OperationTypes, reading } from "../api/queries.ts";
import { Failure } from "../parts/failure.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { answersOf, type Change, findingsByLayer, keyOfFinding } from "./answers-of.ts";
import { FindingView } from "./finding-view.tsx";
import classes from "./why.module.css";

/** What is explained as things are now: a tool, a call of it with an input, or the call of an approval, for the one that asked. */
export type AboutNow = { readonly approval: string } | OperationTypes["policy.why"]["input"];

type Why = Answer<"policy.why">["explanation"];

/** Three questions, each answered before its reason: visible? allowed? what would change it? */
export function Explained({ about }: { readonly about: AboutNow }) {
  const { data, error, refetch } = useExplanation(about);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Waiting rows={5} />;
  return <Answers why={data.explanation} isOfAnother={"approval" in about} />;
}

function useExplanation(about: AboutNow) {
  const isApproval = "approval" in about;
  const approval = useQuery({ ...reading("approvals.why", { id: isApproval ? about.approval : "" }), enabled: isApproval });
  const call = useQuery({ ...reading("policy.why", isApproval ? { tool: "" } : about), enabled: !isApproval });
  return isApproval ? approval : call;
}

function Answers({ why, isOfAnother }: { readonly why: Why; readonly isOfAnother: boolean }) {
  const { visible, allowed, changeable } = answersOf(why);
  return (
    <div className={classes.answers}>
      <p className="dim small">{isOfAnother ? "For the one that asked, as things are now." : "For you, as things are now."}</p>
      <Question title="Is it visible?" answer={visible}>
        <Checks why={why} />
      </Question>
      <Question title="Does it run without asking?" answer={allowed}>
        <Layers why={why} />
      </Question>
      <Question title="Can that change?" answer={changeable}>
        <Changes changes={why.changes ?? []} />
      </Question>
    </div>
  );
}

function Question({ title, answer, children }: { readonly title: string; readonly answer: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3>
        {title} <span className={classes.answer}>{answer}</span>
      </h3>
      {children}
    </section>
  );
}

/** Each step of admission in order; the one that failed is open. */
function Checks({ why: { admission, text, decision } }: { readonly why: Why }) {
  if (!admission) return <p>{visibleText(text)}</p>;
  return (
    <>
      {admission.admitted && decision?.effect === "deny" && decision.findings.length > 0 && (
        <p className="small">What the policy denies for every input is not listed.</p>
      )}
      <ol className={classes.steps}>
        {admission.checks.map(({ check, passed, reason }) => (
          <li key={check}>
            <details open={!passed}>
              <summary>
                {check.replaceAll("_", " ")} <span className={passed ? "dim" : classes.failed}>{passed ? "passed" : "failed"}</span>
              </summary>
              <p className="small">{visibleText(reason)}</p>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}

function Layers({ why }: { readonly why: Why }) {
  const { decision, misfit, obstacles = [], dependsOn = [], places } = why;
  return (
    <>
      {misfit !== undefined && <p className={classes.misfit}>{visibleText(misfit)}</p>}
      <Sentences texts={obstacles} />
      {dependsOn.length > 0 && (
        <>
          <p className="small">It depends on the input:</p>
          <Sentences texts={dependsOn} />
        </>
      )}
      {findingsByLayer(decision).map(({ layer, findings }) => (
        <div key={layer} className={classes.layer}>
          <h4>{layer} rules</h4>
          <ul className={classes.findings}>
            {findings.map((finding) => (
              <li key={keyOfFinding(finding)}>
                <FindingView finding={finding} places={places} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      {decision && <p className="dim small">Policy revision {decision.revision.slice(0, 12)}</p>}
    </>
  );
}

/** Parts of Admin in which a change is made. */
const parts: Readonly<Partial<Record<Change["kind"], { readonly path: string; readonly name: string }>>> = {
  catalogue: { path: "agents", name: "Agents and tools" },
  permission: { path: "roles", name: "Roles" },
  secret: { path: "secrets", name: "Secrets" },
  grant: { path: "grants", name: "Grants" },
};

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <ul className={classes.findings}>
      {changes.map(({ kind, text }) => {
        const part = parts[kind];
        return (
          <li key={text}>
            <span className={classes.kind}>{kind}</span> {visibleText(text)}{" "}
            {part && (
              <Link to="/admin/$part" params={{ part: part.path }}>
                {part.name}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Sentences({ texts }: { readonly texts: readonly string[] }) {
  if (texts.length === 0) return null;
  return (
    <ul className={classes.sentences}>
      {texts.map((text) => (
        <li key={text}>{visibleText(text)}</li>
      ))}
    </ul>
  );
}
