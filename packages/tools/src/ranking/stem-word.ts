import type { TextLanguage } from "./languages.ts";

/** Endings that a word of a language has or has not, and means the same. */
const endings: Readonly<Record<Exclude<TextLanguage, "simple">, RegExp>> = {
  english: /(?:ations?|ments?|ings?|edly|ed|ers?|ies|ely|ly|es|s|e|y)$/,
  german: /(?:ungen|ung|ern|em|er|en|es|et|e|s|n|t)$/,
  french: /(?:ements?|ations?|euses?|eurs?|ees|ee|ent|ant|aux|er|ez|es|e|s|x)$/,
  spanish: /(?:aciones|acion|amente|mente|ando|iendo|ados|adas|ado|ada|ar|er|ir|os|as|es|o|a|e|s)$/,
  italian: /(?:azioni|azione|amente|mente|ando|endo|ati|ate|ato|ata|are|ere|ire|i|e|o|a)$/,
  portuguese: /(?:acoes|acao|amente|mente|ando|endo|ados|adas|ado|ada|ar|er|ir|os|as|es|o|a|e|s)$/,
  dutch: /(?:ingen|ing|heden|heid|eren|en|es|er|e|s|t)$/,
  swedish: /(?:ningar|ning|arna|erna|orna|ade|are|ar|er|or|en|et|na|a|e|n|s|t)$/,
  russian:
    /(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|ах|ях|ов|ев|ей|ой|ий|ый|ая|яя|ое|ее|ые|ие|ую|юю|ом|ем|ам|ям|ть|ла|ло|ли|л|а|я|о|е|ы|и|у|ю|ь|й)$/,
};
const least = 3;

/** A word without its ending. It need not be what PostgreSQL makes of it: words are compared with words that went the same way. */
export function stemWord(word: string, language: TextLanguage): string {
  if (language === "simple" || /\d/.test(word)) return word;
  const end = endings[language].exec(word)?.index ?? word.length;
  const stem = end < least ? word : word.slice(0, end);
  // `planning` and `plan`.
  return stem.length > least && /([b-df-hj-np-tv-z])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}
