import type { ProgramTable } from "../words/program-rule.ts";
import { optionTable } from "../words/scan-arguments.ts";

/** Programs that reach the network, for rules that an operator grants; none is built in. Where they reach is judged apart from that. */
export const networkPrograms: ProgramTable = {
  curl: {
    reason: "Gets one URL that the rule names; options that write, send, read files or follow redirects are left out.",
    operands: "text",
    pinned: 2,
    neutral: new Set([
      "-s",
      "-S",
      "-sS",
      "-Ss",
      "-f",
      "-fs",
      "-sf",
      "-fsS",
      "-sSf",
      "-i",
      "-I",
      "-v",
      "--silent",
      "--show-error",
      "--fail",
      "--include",
      "--head",
    ]),
    globSafe: true,
    options: optionTable("-s -S -f -i -I -v -m= --silent --show-error --fail --include --head --max-time="),
    check: ({ operands }) =>
      operands.every((word) => /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:\/[A-Za-z0-9._~/?&=%+,-]*)?$/.test(word.text))
        ? undefined
        : "the URL is not a plain http or https URL",
    examples: {
      match: ["curl https://api.example.com/v1/items", "curl https://api.example.com/v1 -sS"],
      notMatch: [
        "curl https://api.example.com/ -o out",
        "curl https://api.example.com/ -T a.txt",
        "curl https://api.example.com/ -d @a.txt",
        "curl https://api.example.com/ -K settings",
        "curl https://api.example.com/ -L",
        "curl file:///etc/passwd",
      ],
    },
  },
};
