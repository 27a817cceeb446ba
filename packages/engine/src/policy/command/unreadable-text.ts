/** Longest command line that is judged, in UTF-16 units. */
export const maxCommandLength = 32_768;

/** Controls but tab and newline, invisible and bidirectional characters, odd blanks, fillers, tags, lone surrogates. */
const unreadable =
  /[\p{Cs}\u{0}-\u{8}\u{b}-\u{1f}\u{7f}-\u{a0}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{1680}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{2000}-\u{200c}\u{200e}\u{200f}\u{2028}-\u{202f}\u{205f}-\u{206f}\u{2800}\u{3000}\u{3164}\u{fe00}-\u{fe0e}\u{feff}\u{ffa0}\u{fff0}-\u{fffc}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
/** U+200D and U+FE0F make one picture out of several, and are invisible anywhere else. */
const emojiJoins = /(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\u{fe0f}])\u{200d}(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\u{fe0f}/gu;
const joiners = /[\u{200d}\u{fe0f}]/u;
/** One run of letters out of two alphabets with look-alikes. */
const mixedScript = /(?=\p{L}*\p{Script=Latin})\p{L}*[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const ascii = /^[\n\t -~]*$/;

/** Says why a person could not judge this text, or undefined when it can be read. */
export function findUnreadable(text: string): string | undefined {
  if (text.trim() === "") return "it is blank";
  if (text.length > maxCommandLength) return `it is longer than ${maxCommandLength} characters`;
  if (ascii.test(text)) return undefined;
  const hidden = unreadable.exec(text) ?? joiners.exec(text.replace(emojiJoins, ""));
  if (hidden) return `it holds the invisible or control character U+${hidden[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  return mixedScript.test(text) ? "it mixes letters of two alphabets in one word, which look alike" : undefined;
}
