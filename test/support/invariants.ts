/** What must hold at the end of every run of every test. The shared set-up checks it: own-state-folder.ts and invariants-of-runs.ts. */
export class Invariants {
  /** What each secret is, with its forms, by its value. */
  private readonly secrets = new Map<string, { what: string; forms: string[] }>();
  private readonly violations = new Set<string>();

  /** From now on, this value may appear nowhere. Short values may appear by chance. */
  keepSecret(what: string, value: string): void {
    if (value.length < 8 || value === unknownKey) return;
    const base64 = Buffer.from(value).toString("base64").replace(/.=*$/, "");
    this.secrets.set(value, { what, forms: [value, encodeURIComponent(value), base64] });
  }

  /** What the terminal shows. */
  output(where: string, text: string): void {
    this.scan(where, text);
    const found = controls.exec(withoutIsolates(text))?.[0];
    if (found !== undefined) this.report(`${where} has the control character ${codeOf(found)}`);
  }

  /** A file, and its name. Its text may be JSON, in which control characters are escaped. */
  file(name: string, content: Buffer | string): void {
    this.scan(`the name of ${name}`, name);
    if (controls.test(name)) this.report(`the name of ${name} has a control character`);
    const text = content.toString();
    // A run that is killed may leave a picture that is being saved, under another name.
    if (/\.(png|wav|mp3|m4a|gz|zst|zstd)$/.test(name) || /^.PNG\r/.test(text)) return;
    this.scan(name, text);
    const found = controls.exec(withoutIsolates(text))?.[0] ?? escapedControls.exec(text)?.[0];
    if (found !== undefined) this.report(`${name} has the control character ${codeOf(found)}`);
  }

  /** The files of a folder before and after a run, which may write those that `mayWrite` accepts. */
  unchanged(
    before: ReadonlyMap<string, string>,
    after: ReadonlyMap<string, string>,
    mayWrite: (name: string) => boolean,
  ) {
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(name), after.get(name)];
      if (old === now || mayWrite(name)) continue;
      this.report(`a run ${now === undefined ? "deleted" : old === undefined ? "wrote" : "changed"} ${name}`);
    }
  }

  /** A command that could not do its work may not end as one that found nothing (0) or changes (2). */
  command({ args, code, output }: { args: string[]; code: number; output: string }): void {
    if (code !== 0 && code !== 2) return;
    const failure = failures.find((pattern) => pattern.test(output));
    if (failure !== undefined)
      this.report(`\`${args.join(" ")}\` failed, and ended with ${code}: ${failure.exec(output)?.[0]}`);
  }

  /** The violations since the last call. */
  take(): string[] {
    const found = [...this.violations];
    this.violations.clear();
    return found;
  }

  private scan(where: string, text: string): void {
    for (const { what, forms } of this.secrets.values()) {
      const form = forms.find((each) => text.includes(each));
      if (form === undefined) continue;
      const at = text.indexOf(form);
      this.report(`${where} shows ${what}: …${text.slice(Math.max(0, at - 60), at)}[here]`);
    }
  }

  /** Something else that must not happen. */
  report(violation: string): void {
    this.violations.add(violation);
  }
}

/** The key of tests that need none. */
const unknownKey = "emulator";

/** The marks around a text that is written from right to left are ours, if they are whole pairs (rules/visible.ts). */
const withoutIsolates = (text: string) => text.replace(/\u2068([^\u2066-\u2069\n]*)\u2069/g, "$1");

/** All but the ends of lines and tabs; also those that change the direction of writing. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** The same, as JSON has them. */
const escapedControls = /(?<!\\)(?:\\\\)*\\u(?:00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f])|202[a-e]|206[6-9])/i;

const codeOf = (text: string) =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (one) => `U+${one.charCodeAt(0).toString(16)}`);

/** How failures are printed, at the beginning of a line: by Pulumi, and by this package's command line. */
const failures = [/^pulumi-cloudvoice: .*/m, /^ {4}error: .*/m, /^error: .*/m, /"complete": false/];

/** Of all tests of a file. */
export const invariants = new Invariants();

/** Checks after each test what its runs have left. Called by the set-up of a project, and by no test. */
export function checkAfterEachTest(): void {
  afterEach(() => {
    const violations = invariants.take();
    if (violations.length > 0) throw new Error(`What holds for every run does not hold:\n${violations.join("\n")}`);
  });
}
