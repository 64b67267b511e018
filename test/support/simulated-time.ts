import type { Clock } from "../../provider/src/service/clock";
import { World } from "../simulation/world";

/** A clock whose time, from 0 on, jumps to the next sleeper as soon as nothing else is left to do. */
export class SimulatedTime implements Clock {
  private readonly world = new World();
  private readonly startMs = this.world.now;

  now = () => this.world.now - this.startMs;
  random = () => 0.5;
  sleep = (ms: number) => this.world.sleep(ms);
  /** Lets time pass until the work has ended. */
  run = <T>(work: Promise<T>) => this.world.runUntil(work);
}
