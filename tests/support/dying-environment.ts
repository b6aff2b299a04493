import type { DataStore } from '../../engine/core/migrate/data-store.ts';
import type { MigrateEnvironment } from '../../engine/run/migrate/environment.ts';

/** How a process dies at a write: before it is sent, after it is done but before its answer, or in the middle of a batch. */
export type Death = 'before' | 'after' | 'half';

export class Died extends Error {}

/** Counts the writes of a run and, if told, ends the process at one of them: from then on every call fails. */
export interface Dying {
  readonly environment: MigrateEnvironment;
  readonly writes: readonly string[];
}

export function dyingEnvironment(environment: MigrateEnvironment, at = Number.POSITIVE_INFINITY, death: Death = 'before'): Dying {
  const writes: string[] = [];
  let dead = false;
  const alive = (): void => {
    if (dead) throw new Died('the process is dead');
  };
  const write = async <T>(name: string, send: () => Promise<T>, sendHalf: () => Promise<unknown>): Promise<T> => {
    alive();
    writes.push(name);
    if (writes.length !== at) return send();
    dead = true;
    if (death === 'after') await send();
    if (death === 'half') await sendHalf();
    throw new Died(`died at write ${at}, ${name}, ${death}`);
  };
  const read =
    <A extends readonly unknown[], T>(call: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      alive();
      return call(...given);
    };
  const { data, ledger } = environment;
  const nothing = () => Promise.resolve();
  const dyingData: DataStore = {
    getItem: read(data.getItem),
    query: read(data.query),
    batchGet: read(data.batchGet),
    describeTable: read(data.describeTable),
    backups: read(data.backups),
    scan: read(data.scan),
    execute: (table, statements) =>
      write(
        'batch',
        () => data.execute(table, statements),
        () => data.execute(table, statements.slice(0, Math.ceil(statements.length / 2))),
      ),
    writeTogether: (table, entries) => write('together', () => data.writeTogether(table, entries), nothing),
  };
  return {
    writes,
    environment: {
      ...environment,
      data: dyingData,
      ledger: {
        getItem: read(ledger.getItem),
        query: read(ledger.query),
        scan: read(ledger.scan),
        batchGet: read(ledger.batchGet),
        describeTable: read(ledger.describeTable),
        transact: (request) => write('ledger', () => ledger.transact(request), nothing),
      },
    },
  };
}
