import { isRecord } from "../../rules/is-record";
import { isText, plain } from "./fields";

export interface ErrorFields {
  code?: string | undefined;
  message?: string | undefined;
}

/** Bounds on the search in an error, because a response may be hostile. */
const mostSearched = 500;
const longestText = 5000;
const mostTexts = 3;
const deepest = 5;

const codeName = /^code$|^(err|error|fail|failure|fault|status|ret|return|result)(code|no|id)$/;
const kindName = /^((error)?type|status|name|reason|title)$/;
const messageName =
  /^(|err|errors?|fault|title)$|^(err|error|fail|failure|fault|status|ret|return|result)?(message|msg|description|desc|details?|reason)$/;
/** Below these names a text is an error, and an object describes one. */
const errorNames = ["error", "errors", "err", "fault", "detail", "details", "exception", "failure", "problem", "cause"];

/** The values with which services report success. */
const successWords = ["", "200", "ok", "okay", "success", "successful", "succeeded", "true", "none", "done"];
successWords.push("null", "completed", "complete", "noerror", "accepted", "created", "deleted", "normal");

export function isSuccessWord(text: string): boolean {
  const said = text.trim();
  // Letters of other alphabets are lost in `plain`.
  const isLatin = /^[ -~]*$/.test(said);
  return (
    (isLatin && (said === "" || plain(said) !== "") && successWords.includes(plain(said))) ||
    /^0+$/.test(said) ||
    /^(request|operation)?\s*(was\s+)?(ok|success(ful|fully)?)[ -/:-@]*$/i.test(said) ||
    /^(请求|操作|创建|提交|删除|处理|查询|获取)?成功[。!！]?$/.test(said)
  );
}

interface Found {
  name: string;
  text: string;
  /** Whether it is inside the description of an error. */
  inError: boolean;
}

/**
 * The code and the message of an error. A code is a field with such a name, else the beginning of a text of the form
 * `Audio.PreprocessError: the text differs`. A code of the contract is found in any text, and comes before unknown
 * ones. Values that say that nothing is wrong are left out. `isError`: the whole response may describe an error, so the
 * name of any field may be its code.
 */
export function errorFields(json: unknown, isError = false): ErrorFields {
  const found = textsOf(json, isError);
  const pick = (names: RegExp, isWanted: (each: Found) => boolean = () => true) => {
    const fitting = found.filter((each) => names.test(plain(each.name)) && !isSuccessWord(each.text) && isWanted(each));
    // Fields inside the description of the error come before fields beside it.
    return [...fitting.filter(({ inError }) => inError), ...fitting].map(({ text }) => text);
  };
  const texts = pick(messageName);
  const saysSuccess = found.some(
    ({ name, text }) => messageName.test(plain(name)) && name !== "" && isSuccessWord(text),
  );
  const coded = texts.map(codedText).find((each) => each.code !== undefined);
  const given = [...pick(codeName), ...pick(kindName, ({ text, inError }) => inError && isCode(text))];
  // `code: 10000` beside `message: "Success"` is the service's own number of success.
  const codes = given.filter((each) => !(saysSuccess && /^-?\d+$/.test(each)));
  // A name is preferred to a number, wherever it is.
  const named = codes.find((each) => !/^-?\d+$/.test(each)) ?? coded?.code ?? "";
  const wanted = named === "" ? knownCode : contractCode;
  const others = knownCode.test(named) ? [] : textsOf(json, isError, true);
  const hint = others.find(({ text }) => wanted.test(text))?.text ?? "";
  const code = wanted.exec(hint)?.[0] ?? (named || codes[0]);
  if (/\s/.test(hint)) return { code, message: codedText(hint).message };
  const said = [...new Set(texts)].filter((text) => text !== code && text !== given[0]).slice(0, mostTexts);
  const whole = said.map((text) => (code === coded?.code ? codedText(text).message : text));
  return { code, message: whole.length === 0 ? undefined : whole.join("; ") };
}

/** The code and the message in one text: `Audio.PreprocessError: the text differs`. */
export function codedText(text: string): ErrorFields {
  const match = /^\s*[[("']?([A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)*)[\])"']?\s*(?:[:：–—-]+\s*(.*))?$/s.exec(
    text.slice(0, longestText),
  );
  const [, code, message] = match ?? [];
  if (code !== undefined && (message === undefined ? isCode(code) : isCode(code) && /^[A-Z][^-]*$/.test(code)))
    return { code, message: message?.trim() || text };
  // `the text differs (Audio.PreprocessError)`
  const last = /\(([\w.-]{3,100})\)\W*$/.exec(text.slice(-200))?.[1];
  if (last !== undefined && isCode(last)) return { code: last, message: text };
  // Anywhere else, only codes that the contract names or that the nearest public service is known to use.
  const known = knownCode.exec(text.slice(0, longestText))?.[0];
  return { code: known, message: text };
}

const contractCode = /\bAudio\.[A-Z]\w*[a-z][A-Z]\w*/;
const otherCodes = /(?:Throttling|BadRequest|InvalidParameter|AccessDenied)\.\w+|InvalidApiKey|DataInspectionFailed/;
const knownCode = new RegExp(`(?:${contractCode.source}|\\b(?:${otherCodes.source}))\\b`);

/** Whether a text is a code of the contract, or one that the nearest public service is known to use. */
export const isKnownCode = (text: string) => knownCode.exec(text)?.[0] === text;

/**
 * Whether the name of a field is a code, and its value the message. In an error, other codes than the known ones too.
 */
function isCodeKey(key: string, value: unknown, inError: boolean): boolean {
  if (typeof value !== "string" && !Array.isArray(value)) return inError && knownCode.test(key);
  // No field of a result has a dot in its name.
  if (knownCode.test(key) || /^(InvalidParameter|AccessDenied)$|^[A-Z]\w*(\.\w+)+$/.test(key)) return true;
  return inError && /^[A-Z]/.test(key) && isCode(key) && !/(id|code|status|name|time|type|message|reason)$/i.test(key);
}

/** Whether a text has the form of a code and not of a word or sentence: two words at least, joined. */
export function isCode(text: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9]*([._-][A-Za-z0-9]+)+$|^[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+$/.test(text) && text.length <= 100
  );
}

/** Under these names a response repeats its request. */
const quotedName = /^(inputs?|request|parameters|query|echo|questions?|answers)$|prompt$/;

/**
 * Texts and numbers by their names, the outer ones first. `everywhere`: also searches arrays, but not voices and
 * inputs.
 */
function textsOf(json: unknown, isError: boolean, everywhere = false): Found[] {
  const found: Found[] = [];
  let level = [{ name: "", value: json, inError: Array.isArray(json) }];
  for (let depth = 0; depth <= deepest && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { name, value, inError } of level) {
      if (found.length > mostSearched) return found;
      if (typeof value === "string" && value.trim() !== "")
        found.push({ name, text: value.slice(0, longestText).trim() + value.slice(longestText).slice(-200), inError });
      else if (typeof value === "number") found.push({ name, text: String(value), inError });
      else if (Array.isArray(value) && (inError || everywhere))
        for (const inner of value.slice(0, next.length > mostSearched ? 0 : 20))
          next.push({ name, value: inner, inError });
      else if (isRecord(value) && !(everywhere && isText(value.voice))) {
        for (const key in value) {
          if (next.length > mostSearched) break;
          if (everywhere && !inError && quotedName.test(plain(key))) continue;
          const isCoded = isCodeKey(key, value[key], inError || isError);
          if (isCoded) found.push({ name: "code", text: key, inError: true });
          const name = isCoded ? "message" : key;
          next.push({ name, value: value[key], inError: inError || isCoded || errorNames.includes(plain(key)) });
        }
      }
    }
    level = next;
  }
  return found;
}
