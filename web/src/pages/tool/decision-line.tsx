import type { Answer } from "../../api/queries.ts";
import type { Json } from "../../form/json-schema.ts";
import { DecisionWord } from "../../parts/decision-word.tsx";
import { WhyButton } from "../../why/why-button.tsx";
import classes from "./tool-page.module.css";

type Why = Answer<"policy.why">["explanation"];

interface DecisionLineProps {
  readonly why: Why | undefined;
  readonly tool: string;
  readonly input: Json;
}

/** What happens when Run is pressed, and why. */
export function DecisionLine({ why, tool, input }: DecisionLineProps) {
  return (
    <div className={classes.why}>
      <Outcome why={why} />
      {why && <WhyButton about={{ tool, input: input as never }} name={tool} />}
    </div>
  );
}

function Outcome({ why }: Pick<DecisionLineProps, "why">) {
  if (!why) return <p className="dim">Asking what would happen …</p>;
  const { decision, misfit, obstacles = [] } = why;
  if (misfit !== undefined) return <p className="dim">The input does not fit yet.</p>;
  if (!why.visible || !decision) return <DecisionLineOf effect="deny" words="Blocked" reason={why.text} />;
  if (decision.effect === "deny") return <DecisionLineOf effect="deny" words="Blocked" reason={decision.reason} />;
  if (obstacles.length > 0) return <DecisionLineOf effect="deny" words="Does not run" reason={obstacles.join(" ")} />;
  if (decision.effect === "ask") return <DecisionLineOf effect="ask" words="Will ask" reason={decision.reason} />;
  return <DecisionLineOf effect="allow" words="Runs at once" reason="" />;
}

function DecisionLineOf({
  effect,
  words,
  reason,
}: {
  readonly effect: "allow" | "ask" | "deny";
  readonly words: string;
  readonly reason: string;
}) {
  return (
    <p>
      <DecisionWord effect={effect} words={words} /> {reason}
    </p>
  );
}
