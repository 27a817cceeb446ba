interface AnswerKind {
  /** Questions that ask for it. */
  readonly asked: RegExp;
  /** What a text holds that answers them. */
  readonly told: RegExp;
}

const times =
  "(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|christmas|easter|nights?|midnight|noon|mornings?|afternoons?|evenings?|today|tomorrow|daily|weekly|monthly|yearly|hours?|minutes?|seconds?|days?|weeks?|weekends?|months?|quarters?|years?|until|since|before|after|during|always|never|o'clock|am|pm";
const numbers =
  "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|half|twice|once|dozen|double";

/** Kinds of English questions. A question that is none of these asks for anything. */
const kinds: readonly AnswerKind[] = [
  {
    asked: /^(?:\w+ )?(?:when|(?:what|which) (?:time|days?|weekday|month|year|date|hours?))\b/,
    told: new RegExp(`\\b(?:${times})\\b|\\b\\d{1,2}:\\d{2}\\b|\\b(?:19|20)\\d{2}\\b`, "i"),
  },
  { asked: /^(?:\w+ )?how (?:long|often|soon)\b/, told: new RegExp(`\\d|\\b(?:${times}|${numbers})\\b`, "i") },
  {
    asked:
      /^(?:\w+ )?how (?:many|much|old|large|big|small|far|tall|high|low|hot|warm|cold|fast|heavy|wide|deep)\b|\b(?:what|which) (?:size|number|amount|price|limit|maximum|minimum)\b/,
    told: new RegExp(`\\d|\\b(?:${numbers})\\b`, "i"),
  },
  {
    asked: /^(?:\w+ )?where\b|^\w+ (?:what|which) (?:room|city|country|place|street)\b/,
    told: /\b(?:in|at|on|near|behind|under|above|below|beside|between|opposite|inside|outside|from|to) (?:the|a|an|its|our|\p{Lu})/u,
  },
  {
    asked: /^(?:\w+ )?(?:who|whom|whose)\b/,
    told: /(?<=[\p{L}\p{N},;] )\p{Lu}\p{Ll}+|^\p{Lu}\p{Ll}+ (?:and|does|did|from|has|in|is|was|will)\b|\b(?:he|she|team|department|manager|colleague|boss|customer|reception)\b/u,
  },
  { asked: /^why\b/, told: /\b(?:because|since|due|so that|therefore|caused?|reasons?|as|after|avoid|over|when)\b/i },
];

/** Whether texts hold what a question asks for: a time, a number, a place, a person, a reason. */
export function answersKind(question: string): (text: string) => boolean {
  const asked = question.toLowerCase();
  const kind = kinds.find((each) => each.asked.test(asked));
  return (text) => kind?.told.test(text) === true;
}
