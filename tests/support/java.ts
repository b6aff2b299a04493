import { chooseEngine, type EngineName, engineNames } from '../../engine/local/choose-engine.ts';
import { leaveOut } from './left-out.ts';

/** Why this machine cannot run the engine; undefined where it can. */
function lackOf(wanted: EngineName): string | undefined {
  try {
    chooseEngine({ wanted });
    return undefined;
  } catch (error) {
    return `${wanted}: ${(error as Error).message}`;
  }
}

/** The engines that this machine can run, for suites that are made from them. */
export function enginesHere(): readonly EngineName[] {
  return engineNames.filter((name) => lackOf(name) === undefined);
}

/** The tests of the suite that this is called in are skipped where the engine cannot run, and say so. */
export function skipWithout(engine: EngineName): void {
  before(function () {
    const lack = lackOf(engine);
    if (lack !== undefined) leaveOut(this, lack);
  });
}
