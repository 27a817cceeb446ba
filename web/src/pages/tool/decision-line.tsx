import type { Answer } from "../../api/queries.ts";
import { DecisionWord } from "../../parts/decision-word.tsx";

type Why = Answer<"policy.why">["explanation"];

/** What happens when Run is pressed. */
export function DecisionLine({ why }: { readonly why: Why | undefined }) {
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
