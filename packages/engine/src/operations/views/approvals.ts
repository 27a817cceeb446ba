import { minuteOf } from "../../contract/minute-of.ts";
import { describeState } from "../../gate/approvals/describe-answer.ts";
import { describeApproval } from "../../gate/approvals/describe-approval.ts";
import { describeOffer } from "../../gate/grants/describe-offer.ts";
import type { RememberOffer } from "../../gate/grants/grant-request.ts";
import type { ApprovalRecord, StoredApproval } from "../../ports/approval-store.ts";
import type { Rendering, ViewPart } from "../shell.ts";

interface OpenApprovals {
  readonly items: readonly { readonly record: Pick<ApprovalRecord, "id" | "tool" | "expiresAt" | "summary"> }[];
  readonly elsewhere?: readonly { readonly tenant: string; readonly open: number }[] | undefined;
}

export const approvalsView: Rendering<OpenApprovals> = {
  show: ({ items, elsewhere = [] }) => [
    items.length === 0
      ? "No call waits for a person."
      : {
          head: ["id", "tool", "until", "what"],
          rows: items.map(({ record: { id, tool, expiresAt, summary } }) => [id, tool, minuteOf(expiresAt), summary]),
        },
    ...tellOthers(elsewhere),
  ],
};

/** Programs of another tenant wait for the same operator. */
function tellOthers(elsewhere: NonNullable<OpenApprovals["elsewhere"]>) {
  if (elsewhere.length === 0) return [];
  const count = elsewhere.reduce((sum, { open }) => sum + open, 0);
  const tenants = elsewhere.map(({ tenant }) => `--tenant ${tenant}`).join(", ");
  return [{ note: `${count} more ${count === 1 ? "waits" : "wait"} in other tenants: ${tenants}`, always: true as const }];
}

interface ShownApproval extends StoredApproval {
  readonly offer?: RememberOffer | undefined;
}

export const approvalView: Rendering<ShownApproval> = {
  show: ({ offer, ...stored }, { now }) =>
    [
      describeApproval(stored.record),
      `  state    ${describeState(stored, now)}`,
      ...(offer ? ["", describeOffer(offer), ...offer.choices.map(({ scope, title }) => `  --remember ${scope.padEnd(8)} ${title}`)] : []),
    ].flatMap(toLines),
};

/** Each line with its blanks from the left, which a text of its own would have written out. */
const toLines = (text: string): readonly ViewPart[] =>
  text.split("\n").map((line) => ({ text: line.trimStart(), indent: line.length - line.trimStart().length }));

interface AnsweredApproval extends StoredApproval {
  readonly runs?: "turn" | "process" | "caller" | "caller_with_files" | undefined;
  readonly turn?: TurnName | undefined;
  readonly strandedTurn?: TurnName | undefined;
}

interface TurnName {
  readonly id: string;
  readonly agent: string;
}

/** What comes of an answer. */
export const answeredView: Rendering<AnsweredApproval> = {
  show: (answered, { where }) => describeAnswered(answered, where).map((note) => ({ note, always: true })),
};

/** Says in sentences what came of an answer. `where`: options that a suggested command needs to meet the same server and tenant. */
export function describeAnswered(answered: AnsweredApproval, where: string): readonly string[] {
  const { record, strandedTurn } = answered;
  return [describeOutcome(answered, where), ...(strandedTurn ? [describeStranded(strandedTurn, record, where)] : [])];
}

function describeOutcome(answered: AnsweredApproval, where: string): string {
  const { record, answer, approvals = [] } = answered;
  if (!answer) {
    const { approvers = 1 } = record.quorum ?? {};
    return `Approved by ${approvals.length} of ${approvers} ${approvers === 1 ? "person" : "people"}. It runs when the others approve it, too.`;
  }
  if (answer.outcome.kind === "deny") return "Denied. The call will not run.";
  if (answer.outcome.kind === "respond") return "Answered. The call will not run; its caller reads your words.";
  return `Approved. ${describeRun(answered, where)}`;
}

/** When an approved call runs. */
function describeRun({ record: { id }, runs, turn }: AnsweredApproval, where: string): string {
  if (turn) return `It runs in the turn ${turn.id} of ${turn.agent}, which goes on once all that it waits for is answered.`;
  if (runs === "caller_with_files") return "It runs when its caller makes the same call again with the same files.";
  const when = runs === "process" ? "with toolwright serve or toolwright worker" : "when its caller makes the same call again";
  return `It runs ${when}, or now: toolwright approvals run ${id}${where}`;
}

const describeStranded = ({ id, agent }: TurnName, { id: approval }: Pick<ApprovalRecord, "id">, where: string): string =>
  `The turn ${id} of ${agent} waits: no process goes on with it. It goes on with toolwright serve or toolwright worker, or now: toolwright approvals run ${approval}${where}`;
