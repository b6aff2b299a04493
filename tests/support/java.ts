import { chooseEngine, type EngineName, engineNames } from '../../engine/local/choose-engine.ts';

/** The engines that this machine can run. Where Java is missing the second one is said to be left out, once a file. */
export function enginesHere(): readonly EngineName[] {
  return engineNames.filter((wanted) => {
    try {
      chooseEngine({ wanted });
      return true;
    } catch (error) {
      process.stdout.write(`  (not run with ${wanted}: ${(error as Error).message.replace(/\s+/g, ' ')})\n`);
      return false;
    }
  });
}
