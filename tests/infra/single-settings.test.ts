import { expect } from 'chai';
import { z } from 'zod';
import { billingOf, parseStackConfig, type StackConfig, stackConfigSchema } from '../../tables/model/stack/stack-config.ts';
import { tables } from '../support/project.ts';
import { singleSamples } from './support/single-samples.ts';
import type { Settings } from './support/stack-file.ts';

const parse = (settings: Settings): StackConfig => parseStackConfig('qa', settings, tables);
const usual = parse({});

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
}

/** The members of the schema's objects, at every depth; what has no fixed names or no default is tested by itself. */
function members(node: Node, path: readonly string[]): readonly string[] {
  const inner = Object.entries(node.properties ?? {});
  if (inner.length === 0) return path.length > 1 ? [path.join('.')] : [];
  return inner.flatMap(([name, next]) => members(next, [...path, name]));
}

function at(config: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, part) => (value as Readonly<Record<string, unknown>> | undefined)?.[part], config);
}

function nested(path: string, value: unknown): Settings {
  const [first = '', ...rest] = path.split('.');
  return { [`tablewright:${first}`]: rest.reduceRight<unknown>((inner, part) => ({ [part]: inner }), value) };
}

describe('a setting inside an object, given alone', () => {
  it('is tested for every member that the schema has', () => {
    const schema = z.toJSONSchema(stackConfigSchema, { io: 'input' }) as Node;
    // Objects that make no sense in parts are given whole elsewhere.
    const whole = /^(ci|backups\.(copyTo|lock))\./;
    expect(members(schema, []).filter((path) => !whole.test(path))).to.have.members(Object.keys(singleSamples));
  });

  for (const [path, value] of Object.entries(singleSamples)) {
    it(`${path} leaves every other member its default`, () => {
      const config = parse(nested(path, value));
      expect(at(config, path)).to.deep.equal(value);
      const others = Object.keys(singleSamples).filter((other) => other !== path);
      // Cold storage is the one setting that asks for another: a backup stays there for 90 days.
      const follows = path === 'backups.coldStorageAfterDays' ? { 'backups.deleteAfterDays': 120 } : {};
      for (const other of others) {
        const expected = other in follows ? 120 : at(usual, other);
        expect(at(config, other), other).to.deep.equal(expected);
      }
    });
  }
});

describe('a member of a table’s billing, given alone', () => {
  const results = tables.find(({ name }) => name === 'crypto-backtest-results');
  if (results === undefined) throw new Error('the catalogue has no crypto-backtest-results');
  const billed = (billing: object) => billingOf(results, parse({ 'tablewright:tables': { [results.name]: { billing } } }));
  const onDemand = (settings: object) => billed({ mode: 'on-demand', ...settings });
  const provisioned = (settings: object) => billed({ mode: 'provisioned', read: 5, write: 6, ...settings });
  const own = (settings: unknown) => ({ indexes: { StatusIndex: settings } });

  it('of an on-demand table limits its way and no other', () => {
    expect(onDemand({}).table).to.equal(undefined);
    expect(onDemand({ maximum: { read: 9 } }).table).to.deep.equal({ read: 9, write: 'off' });
    expect(onDemand({ maximum: { write: 9 } }).table).to.deep.equal({ read: 'off', write: 9 });
    expect(onDemand({ maximum: 'off' }).table).to.deep.equal({ read: 'off', write: 'off' });
    expect(onDemand({ maximum: { read: 'off', write: 9 } }).indexes.StatusIndex).to.deep.equal({ read: 'off', write: 9 });
  });

  it('of an index of it leaves the other way the table’s', () => {
    const maximum = { read: 7, write: 8 };
    const index = (settings: unknown) => onDemand({ maximum, ...own(settings) }).indexes.StatusIndex;
    expect(index({ read: 1 })).to.deep.equal({ read: 1, write: 8 });
    expect(index({ write: 1 })).to.deep.equal({ read: 7, write: 1 });
    expect(index('off')).to.deep.equal({ read: 'off', write: 'off' });
    expect(onDemand(own({ read: 1 })).indexes.StatusIndex).to.deep.equal({ read: 1, write: 'off' });
  });

  it('of a provisioned table scales its way and no other', () => {
    expect(provisioned({ max: { read: 50 } }).table).to.deep.equal({ read: 5, write: 6, max: { read: 50 } });
    expect(provisioned({ max: { write: 60 } }).table).to.deep.equal({ read: 5, write: 6, max: { write: 60 } });
  });

  it('of an index of it leaves the other way the table’s, its upper bound included', () => {
    const max = { read: 50, write: 60 };
    const index = (settings: unknown) => provisioned({ max, ...own(settings) }).indexes.StatusIndex;
    expect(index({ read: 1 })).to.deep.equal({ read: 1, write: 6, max: { read: undefined, write: 60 } });
    expect(index({ read: 1, write: 2 })).to.deep.equal({ read: 1, write: 2, max: undefined });
    expect(index({ max: { read: 70 } })).to.deep.equal({ read: 5, write: 6, max: { read: 70, write: 60 } });
  });
});
