/** A text search configuration of PostgreSQL. */
export type TextLanguage = (typeof textLanguages)[number];

const textLanguages = ["english", "german", "french", "spanish", "italian", "portuguese", "dutch", "swedish", "russian", "simple"] as const;

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Words, without marks, that a text of the language is full of and that say nothing of what it is about. */
export const functionWords: Readonly<Record<TextLanguage, ReadonlySet<string>>> = {
  english: listOf(
    "a about after all also am an and any are as at be because been before being but by can could did do does doing for from get had has have having he her here him his how i if in into is it its itself just let me more most my no not of off on once one only or other our out over own please s shall she should so some such t tell than that the their them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will with would you your",
  ),
  german: listOf(
    "aber alle als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den der des dich die dies diese diesem diesen dieser dir doch du durch ein eine einem einen einer eines er es euch fur hat habe haben hatte ich ihm ihn ihr ihre im in ins ist ja jede jeder kann keine kein konnen man mein meine mich mir mit muss nach nicht noch nur ob oder ohne schon sein seine sich sie sind so uber um und uns unser unsere unter vom von vor wann war waren warum was wegen weil welche welcher wenn wer werden wie wir wird wo wurde zu zum zur",
  ),
  french: listOf(
    "a au aux avec c ce ces cette comment d dans de des du elle en es est et etait ete etre eux fait il ils j je l la le les leur leurs lui m ma mais me mes moi mon n ne nos notre nous on ont ou par pas peut plus pour pourquoi qu quand que quel quelle quels qui quoi s sa sans se ses si son sont sur ta te tes toi ton tu un une vos votre vous y",
  ),
  spanish: listOf(
    "a al algo como con cual cuando de del desde donde el ella ellos en entre era es esa ese eso esta estan este esto fue ha hay la las le les lo los mas me mi mis muy no nos nuestra nuestro o para pero por porque puede que quien se ser si sin sobre son su sus tambien te tiene tu un una uno y ya yo",
  ),
  italian: listOf(
    "a ad ai al alla alle anche che chi ci come con cosa da dal dalla dei del della delle di dove e ed era gli ha hai hanno ho i il in io la le lei lo loro lui ma mi mia mio ne negli nei nel nella noi non nostra nostro o per perche piu puo quale quando quanto quella quello questa questo se sei si sono sta su sua sui sul sulla suo ti tra tu un una uno voi",
  ),
  portuguese: listOf(
    "a ao aos as com como da das de dela dele do dos e ela ele eles em entre era essa esse esta este eu foi ha isso isto ja la lhe mais mas me meu minha muito na nao nas no nos nossa nosso o onde os ou para pela pelo pode por porque qual quando que quem se sem ser seu sua tem temos tu um uma voce",
  ),
  dutch: listOf(
    "aan al alle als altijd bij dan dat de deze die dit door een en er had heb hebben heeft hem het hier hij hoe hun ik in is ja je kan kunnen maar me meer met mijn moet na naar niet nog nu of om omdat onder ons onze ook op over te tegen toch toen tot u uit van veel voor waar waarom wanneer was wat we wel welke werd wie wij worden wordt ze zich zij zijn zo zou",
  ),
  swedish: listOf(
    "all alla an att av blev bli da dar de dem den denna deras dess det detta dig din du efter ej eller en er ett fran for ha hade han har hennes hon hur i icke ingen inte jag kan man med men mig min mot mycket nar ni nu och om oss pa sa sedan sig sin ska skulle som till under upp ut utan vad var vara varfor vem vi vid vilken",
  ),
  russian: listOf(
    "а без был была были было быть в вам вас вот все всех вы где да для до его ее если есть еще же за и из или им их к как какой когда кто ли меня мне мой моя мы на над нам нас наш наша не него нет но о об он она они от по под почему при с сам свой себя со так там то только ты у уже чего чем что чтобы эта эти это этот я",
  ),
  simple: new Set(),
};

/** Words that are enough to tell by. */
const mostRead = 300;
/** A text that is longer, and has no function word of any language known here, is in another one. */
const longEnough = 12;

/**
 * The language of words that are folded already, by its function words. What is too short to tell counts as English: half of what PostgreSQL keeps
 * of a text knows no language anyhow.
 */
export function languageOf(words: readonly string[]): TextLanguage {
  const read = words.slice(0, mostRead);
  let best: TextLanguage = "english";
  let most = 0;
  for (const language of textLanguages) {
    const hits = read.filter((word) => functionWords[language].has(word)).length;
    if (hits > most) [best, most] = [language, hits];
  }
  const isClear = most >= 2 || (most === 1 && read.length <= 4);
  if (isClear) return best;
  const isForeign = read.length >= longEnough || read.some((word) => /[^\p{Script=Latin}\p{N}]/u.test(word));
  return isForeign ? "simple" : "english";
}

/** The BCP 47 tag of a language; none where it is not known. */
export const tagOf: Readonly<Record<TextLanguage, string | undefined>> = {
  ...{
    english: "en",
    german: "de",
    french: "fr",
    spanish: "es",
    italian: "it",
    portuguese: "pt",
    dutch: "nl",
    swedish: "sv",
    russian: "ru",
  },
  simple: undefined,
};
