/** What a model has to know of every server of this kind: approvals, background runs, artifacts. */
export const serverInstructions = [
  "A call that needs a person's approval returns an approval id and does not run: let the person answer, then repeat the call with exactly the same input.",
  "A long command can run in the background: the call returns a process id at once, and the process tools read its output, write to it and stop it.",
  "Output that was cut is kept whole as an artifact: the notes of the result name its id, which artifact_read or the resource artifact://{id} reads.",
].join(" ");
