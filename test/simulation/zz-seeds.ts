import { scenarioOf } from "./generate";
import { mistakes } from "./mistakes";
import { runScenario } from "./run";
const names = process.argv.slice(2).length ? process.argv.slice(2) : Object.keys(mistakes);
async function main() {
  for (const name of names) {
    const startedAt = Date.now();
    let found = -1;
    for (let seed = 1; seed < 20000 && Date.now() - startedAt < 25_000; seed++) {
      const v = (await runScenario(scenarioOf(seed), mistakes[name])).violations;
      if (v.length > 0 && (await runScenario(scenarioOf(seed))).violations.length === 0) {
        found = seed;
        break;
      }
    }
    console.log(JSON.stringify(name), found, Date.now() - startedAt);
  }
}
void main();
