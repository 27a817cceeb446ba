/** A source of repeatable choices. */
export interface Chooser {
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
}

/** The generator mulberry32: small, and the same on every machine. */
export function createChooser(seed: number): Chooser {
  let state = seed >>> 0;
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
    },
  };
}

/** Programs that the recorder stands in for. */
export const recorded = ["c1", "c2", "c3", "ls", "git", "touch"] as const;
/** Programs that run others, and are really there. */
export const launchers = ["env", "nice", "timeout", "nohup", "xargs", "find", "sh", "bash", "dash", "cat", "stdbuf"] as const;

const names = [...recorded, ...recorded, "echo", "true", ":", "command c1", "printf", "builtin c2", "./c1", "'c1'", "c\\2", "c''3", "C1"];
const wrapped = [
  "env c1",
  "env A=b c2",
  "env -i c3",
  "nice c1",
  "nice -n 5 c2",
  "timeout 5 c1",
  "timeout -k 1 5 c2",
  "nohup c1",
  "xargs c1",
  "xargs -n 1 c2",
  "xargs -0 -r c3",
  "find . -exec c1 {} +",
  "find . -name 'x' -o -exec c2 {} \\;",
  "find . -exec c1 {} + -exec c2 x {} \\;",
  "sh -c 'c1; c2'",
  'bash -c "c1 && c3 x"',
  "dash -c 'c1 | c2'",
  "time c1",
  "time -p c2",
  "! c1",
  "env nice timeout 5 c1",
  "command env c2",
  "stdbuf -oL c1",
];
const words = [
  ..."a b x-1 -l --long=v a=b c:d a#b #c ! { } {} {a} = , @ % + ^ é 日本".split(" "),
  ...'\'a b\'|"a b"|\'$(c2)\'|"\\$(c2)"|\'`c2`\'|"\\`c2\\`"|\\;|\\&|\';c2\'|"|c2"|a\\ b|\'\'|""|\'a\'"b"c|"it\'s"|\'"\'|"$"|\\$x|\'#\'|"a\nb"|\'a\nc2\'|\\\'|\\"|a\\\\|"\\\\"'.split(
    "|",
  ),
  ...'$(c2) `c2` "$(c2)" $x $((1+1)) $[1] <(c2) >(c2) 2>(c2) {fd}>(c2) a<(c2) $\'c2\' $"c2" ~ ~+ * ? [a] [$(c2)] *.x @(a) {a,b} {1..3} a{$(c2),b} !! $_ $? "$@"'.split(
    " ",
  ),
  "@(a|$(c2))",
  `\${x:-$(c2)}`,
  "$'\\n' c2",
  "\"$(cat <<'E'\nx $(c2) ' \" )\nE\n)\"",
  '"$(cat <<E\n$(c2)\nE\n)"',
  "a\\\nb",
  ..."if then do done [[ ]] (( )) in esac function time coproc".split(" "),
];
const redirects = [
  ..."2>&1 >&2 >/dev/null 2>/dev/null </dev/null &>/dev/null >f 2>f >>f &>f &>>f >|f <>f >&f <f 1>&- <&- {v}>f 3>f >'f g' >f\\;c2 2>&1>f >&'f$(c2)' &>'f$(c2)' >'f$(c2)' <&-c2 >&1c2 2>&1'$(c2)'".split(
    " ",
  ),
  "<<< a",
  "<<<'$(c2)'",
  '<<< "$(c2)"',
  "> f",
  "< /dev/null",
];
const documents = [
  "<<E\nx\nE\n",
  "<<'E'\n$(c2)\nE\n",
  '<<"E"\n`c2`\nE\n',
  "<<E\n$(c2)\nE\n",
  "<<-E\n\tx\n\tE\n",
  "<<\\E\nc2\nE\n",
  "<<E; c1\nx\nE\n",
  "<<'E' | c3\nx\nE\n",
];
const assignments = ["A=b", "A='b c'", "LC_ALL=C", "A=$(c2)", "A+=b", "A[0]=b", "A[$(c2)]=b", "A=(b c)", "A=(`c2`)", "A=", "PATH=."];
const operators = [
  ";",
  "; ",
  " && ",
  "&&",
  " || ",
  " | ",
  "|",
  " |& ",
  "\n",
  " &\n",
  " & ",
  ";\n",
  " ;; ",
  " &&\n",
  " |\n",
  "\n\n",
  " # c2\n",
  " ",
];
const compounds = [
  "( @ )",
  "(@)",
  "{ @; }",
  "{ @\n}",
  "{@; }",
  "if @; then @; fi",
  "for i in a; do @; done",
  "case a in a) @;; esac",
  "f() { @; }; f",
  "function f { @; }\nf",
  "[[ -n a ]] && @",
  "((1)) && @",
  "coproc @",
  "! @",
  "time @",
  "eval '@'",
  "@ # c2",
  "# c2\n@",
  "(@) | c1",
  "{ @; } 2>&1 | c2",
  "( @ ) > f",
];
const noise = [...";&|<>(){}[]$`\"'\\\n #!~*?=-@+", "$(c2)", ";c2", "|c2", "\nc2", "&c2", "${", "<<E", "\\\n"];

/** One line of shell: mostly plain commands, with everything mixed in that a shell may read in another way than we do. */
export function generateLine(chooser: Chooser): string {
  const line = generateList(chooser, 0);
  return chance(chooser, 25) ? disturb(line, chooser) : line;
}

const pick = <Item>(chooser: Chooser, items: readonly Item[]): Item => items[chooser.below(items.length)] as Item;
const chance = (chooser: Chooser, percent: number) => chooser.below(100) < percent;

function generateList(chooser: Chooser, depth: number): string {
  let line = generateCommand(chooser, depth);
  while (chance(chooser, 45) && line.length < 400) line += pick(chooser, operators) + generateCommand(chooser, depth);
  return line;
}

function generateCommand(chooser: Chooser, depth: number): string {
  if (depth < 2 && chance(chooser, 12)) return pick(chooser, compounds).replaceAll("@", () => generateList(chooser, depth + 1));
  const parts: string[] = [];
  if (chance(chooser, 12)) parts.push(pick(chooser, assignments));
  if (chance(chooser, 4)) parts.push(pick(chooser, redirects));
  parts.push(chance(chooser, 20) ? pick(chooser, wrapped) : pick(chooser, names));
  // The first words are the plain ones, and are chosen more often, so that many lines are understood.
  while (chance(chooser, 50)) parts.push(words[chooser.below(chance(chooser, 85) ? 50 : words.length)] ?? "a");
  if (chance(chooser, 15)) parts.push(pick(chooser, redirects));
  if (chance(chooser, 5)) parts.push(pick(chooser, documents));
  return parts.join(chance(chooser, 97) ? " " : "");
}

function disturb(line: string, chooser: Chooser): string {
  const at = chooser.below(line.length + 1);
  const removed = chance(chooser, 50) ? chooser.below(3) : 0;
  return line.slice(0, at) + (chance(chooser, 80) ? pick(chooser, noise) : "") + line.slice(at + removed);
}
