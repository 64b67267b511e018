import type { Command, Scenario } from "./commands";
import type { Ledger } from "./ledger";
import { type Declaration, declaration } from "./program";
import type { Service } from "./service";
import type { Pictures } from "./pictures";
import { copyOf, type Entry, imagesOf, inStack, type Kind, nameOf, type State, urnOf } from "./state";
import type { Random } from "./world";

export interface SimulatedStack {
  name: string;
  program: Declaration[];
  state: State;
  /** The state before each operation. */
  history: State[];
}

type Edit = Exclude<Command, { do: "up" | "refresh" | "destroy" | "preview" | "wait" | "together" }>;

/** The stacks of one project or two, and what a person does to them between the operations. */
export class Person {
  readonly stacks: SimulatedStack[];
  private copies = 0;
  private readonly movedAway: { from: SimulatedStack; name: string; id: string }[] = [];

  constructor(
    private readonly service: Service,
    private readonly ledger: Ledger,
    private readonly random: Random,
    private readonly scenario: Pick<Scenario, "inTwoOrganizations" | "second" | "areAlike" | "secret">,
    private readonly pictures: Pictures,
  ) {
    this.stacks = namesOfStacks(scenario).map(newStack);
  }

  stackAt(index: number): SimulatedStack {
    return this.stacks[index]!;
  }

  edit(command: Edit): void {
    this.change(command);
    // If no state has shown the voice yet, a create of the source uses it again: both have it.
    for (const { from, name, id } of this.movedAway) if (declared(from, name)) this.ledger.sharedByPerson.add(id);
  }

  private change(command: Edit): void {
    if (command.do === "move") return this.move(command);
    const stack = this.stackAt(command.stack);
    switch (command.do) {
      case "add":
        return this.add(
          stack,
          { ...this.declared(command.name, "voice", command.content), ...command.options },
          command.first,
        );
      case "add-image":
        return this.add(stack, this.declared(command.name, "image", command.content));
      case "add-decision":
        return this.add(stack, this.declared(command.name, "decision", command.content));
      case "take-out":
        return remove(stack, command.name);
      case "change":
        return this.changeVoice(stack, command);
      case "rename":
        return this.rename(stack, command);
      case "adopt":
        return this.adopt(stack, command);
      case "delete-outside":
        return this.deleteOutside(stack, command.name);
      case "save-to":
        return this.saveTo(stack, command.name, command.folder);
      case "touch-files":
        return this.touchFiles(stack, command.name, command.edit);
      case "gate":
        return this.gate(stack, command.isClosed);
      case "wait-for-gate": {
        const found = declared(stack, command.name);
        if (found) found.behind = command.waits ? gateName : undefined;
        return;
      }
      case "restore":
        return this.restore(stack, command.operations);
      case "rename-stack":
        return this.renameStack(stack, command.reuse);
    }
  }

  private declared(name: string, kind: Kind, content: number): Declaration {
    const { second, areAlike, secret } = this.scenario;
    return {
      ...declaration(name, kind, content),
      process: second?.includes(name) === true ? 1 : 0,
      isAlike: areAlike === true,
      isSecret: secret?.includes(name) === true,
    };
  }

  private add(stack: SimulatedStack, added: Declaration, first = false): void {
    if (declared(stack, added.name) || this.isFormerName(stack, added.name)) return;
    if (first) stack.program.unshift(added);
    else stack.program.push(added);
  }

  /** Pulumi rejects a program that uses a former name again before an update has recorded the rename. */
  private isFormerName(stack: SimulatedStack, name: string): boolean {
    return stack.program.some(({ aliases }) => aliases.includes(name)) && liveEntry(stack, name) !== undefined;
  }

  private changeVoice(stack: SimulatedStack, { name, content, trigger, options }: Edit & { do: "change" }): void {
    const found = declared(stack, name);
    if (!found) return;
    if (content !== undefined) found.content = content;
    if (trigger !== undefined) found.trigger = trigger;
    if (found.kind === "voice") Object.assign(found, options);
  }

  private saveTo(stack: SimulatedStack, name: string, folder: string | undefined): void {
    const found = declared(stack, name);
    if (found?.kind === "image") found.saveTo = folder;
  }

  private touchFiles(stack: SimulatedStack, name: string, edit: boolean): void {
    const urn = urnOf(stack.name, "image", name);
    for (const entry of stack.state.entries) {
      if (entry.urn !== urn) continue;
      for (const { file } of imagesOf(entry))
        if (file !== undefined) this.pictures.touch(file, edit ? Buffer.from("edited") : undefined);
    }
  }

  private gate(stack: SimulatedStack, isClosed: boolean): void {
    const found = declared(stack, gateName);
    if (found) found.isClosed = isClosed;
    else stack.program.unshift({ ...this.declared(gateName, "decision", 0), isClosed });
  }

  private rename(stack: SimulatedStack, { name, to, alias }: Edit & { do: "rename" }): void {
    const found = declared(stack, name);
    if (!found || declared(stack, to) || this.isFormerName(stack, to)) return;
    found.name = to;
    found.aliases = alias ? [name, ...found.aliases.filter((each) => each !== to)] : [];
  }

  private adopt(stack: SimulatedStack, { name, from, keep = false }: Edit & { do: "adopt" }): void {
    const own = from === undefined ? undefined : liveEntry(stack, from);
    const stranger = [...this.service.existing()].find(({ key }) => key === undefined);
    const voice = from === undefined ? stranger?.voice : own?.id;
    if (voice === undefined || name === from || this.isFormerName(stack, name)) return;
    const isTaken = this.stacks.some(({ state, program }) =>
      [
        ...state.entries.filter((entry) => entry !== own).map(({ id }) => id),
        ...program.map(({ adopt }) => adopt),
      ].includes(voice),
    );
    if (isTaken || declared(stack, name)) return;
    if (from !== undefined && !keep) remove(stack, from);
    stack.program.push({ ...this.declared(name, "voice", 0), adopt: voice });
  }

  private deleteOutside(stack: SimulatedStack, name: string): void {
    const entry = liveEntry(stack, name);
    const voice = this.service.voices.get(entry?.id ?? "");
    if (voice === undefined || voice.deletedMs !== undefined) return;
    this.service.deleteOutside(voice, this.random.between(0, this.service.options.deletedLagMs));
    this.ledger.deleteOutside(voice);
  }

  private restore(stack: SimulatedStack, operations: number): void {
    const earlier = stack.history.at(-operations);
    if (earlier === undefined) return;
    const kept = new Set(earlier.entries.map(({ id }) => id));
    const lost = stack.state.entries.filter(({ id }) => !kept.has(id));
    this.ledger.giveUp(lost.flatMap(({ id }) => this.service.voices.get(id) ?? []));
    stack.state = copyOf(earlier);
    // A resource that was moved since is then in two stacks.
    const others = this.stacks.filter((each) => each !== stack).flatMap(({ state }) => state.entries);
    for (const { id, uid } of others) {
      if (kept.has(id)) this.ledger.sharedByPerson.add(id);
      // It is an entry of its own then.
      for (const entry of stack.state.entries) if (entry.uid === uid) entry.uid = -++this.copies;
    }
    // The stack may have had another name.
    renameEntries(stack);
  }

  private renameStack(stack: SimulatedStack, reuse: boolean): void {
    if (this.stacks.length > 3) return;
    const formerName = stack.name;
    stack.name = `${formerName}x`;
    if (this.stacks.some((each) => each !== stack && each.name === stack.name)) return void (stack.name = formerName);
    renameEntries(stack);
    const { state } = stack;
    state.pendingCreates = state.pendingCreates.map((each) => ({ ...each, urn: inStack(each.urn, stack.name) }));
    if (!reuse) return;
    // The new stack is asked about what a state has shown, and else uses it: both have it.
    for (const { id } of state.entries) this.ledger.sharedByPerson.add(id);
    const program = stack.program.filter(({ adopt }) => adopt === undefined).map((each) => ({ ...each }));
    this.stacks[this.stacks.indexOf(stack)] = { ...newStack(formerName), program };
    this.stacks.push(stack);
  }

  private move({ from, to, name, keepDeclared }: Edit & { do: "move" }): void {
    const [source, target] = [this.stackAt(from), this.stackAt(to)];
    const entry = liveEntry(source, name);
    const found = declared(source, name);
    if (source === target || !entry || !found) return;
    // An adoption of a voice of the source would go on from the target, and both stacks would hold the voice.
    if (found.adopt !== undefined && found.adopt !== entry.id) return;
    if (declared(target, name) || target.state.entries.some(({ urn }) => nameOf(urn) === name)) return;
    if (source.state.entries.some(({ urn, isOld }) => isOld && urn === entry.urn)) return;
    this.ledger.moved.add(source.name);
    this.movedAway.push({ from: source, name, id: entry.id });
    source.state.entries.splice(source.state.entries.indexOf(entry), 1);
    target.state.entries.push({ ...entry, urn: inStack(entry.urn, target.name) });
    target.program.push({ ...found, aliases: [] });
    if (!keepDeclared) remove(source, name);
    else delete found.adopt;
  }
}

const gateName = "gate";

function namesOfStacks({ inTwoOrganizations = false }: Pick<Scenario, "inTwoOrganizations">) {
  return inTwoOrganizations ? ["acme/program/dev", "beta/program/dev"] : ["dev", "prod"];
}

function renameEntries({ name, state }: SimulatedStack): void {
  for (const entry of state.entries) entry.urn = inStack(entry.urn, name);
}

function newStack(name: string): SimulatedStack {
  return { name, program: [], state: { entries: [], pendingCreates: [] }, history: [] };
}

function declared(stack: SimulatedStack, name: string): Declaration | undefined {
  return stack.program.find((each) => each.name === name);
}

function remove(stack: SimulatedStack, name: string): void {
  stack.program = stack.program.filter((each) => each.name !== name);
}

function liveEntry(stack: SimulatedStack, name: string): Entry | undefined {
  const urn = urnOf(stack.name, "voice", name);
  return stack.state.entries.find((entry) => entry.urn === urn && !entry.isOld && !entry.pendingReplacement);
}
