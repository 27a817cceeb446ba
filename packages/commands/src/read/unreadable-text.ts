/** Longest command line that is judged, in UTF-16 units. */
export const maxCommandLength = 32_768;

/** Everything that shows as nothing or as a blank, moves the cursor or turns the order of letters, but space, tab and newline. */
const unreadable = /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{fffc}]/u;
/** U+200D and U+FE0F make one picture out of several, and are invisible anywhere else. */
const emojiJoins =
  /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f})\u{200d}(?=\p{Extended_Pictographic})|(?<=\p{Emoji})\u{fe0f}/gu;
const lookAlike = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;
const ascii = /^[\n\t -~]*$/;

/** Says why a person could not judge this text, or undefined when it can be read. */
export function findUnreadable(text: string): string | undefined {
  if (text.trim() === "") return "it is blank";
  if (text.length > maxCommandLength) return `it is longer than ${maxCommandLength} characters`;
  if (ascii.test(text)) return undefined;
  const hidden = unreadable.exec(text.replace(emojiJoins, ""));
  if (hidden)
    return `it holds the invisible or control character U+${hidden[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
  return hasMixedWord(text) ? "it mixes letters of two alphabets in one word, which look alike" : undefined;
}

function hasMixedWord(text: string): boolean {
  return (text.match(/\p{L}+/gu) ?? []).some((letters) => lookAlike.test(letters) && /\p{Script=Latin}/u.test(letters));
}
