import pLimit from 'p-limit';
import type { Item } from '../../../tables/model/attribute-value.ts';
import { canonicalItem } from '../../../tables/model/canonical.ts';
import { type Condition, holds } from '../../../tables/model/condition.ts';
import { showKey } from '../../../tables/model/item.ts';
import type { Pattern } from '../../../tables/model/pattern.ts';
import { physicalName } from '../../../tables/model/stack/stack-config.ts';
import type { Table } from '../../../tables/model/table.ts';
import { type DifferenceKind, misplaced, type Suspicion } from '../../core/cutover/compare-answers.ts';
import type { AnswerEntry } from '../../core/cutover/entry.ts';
import { type LikelyCause, likelyCause } from '../../core/cutover/likely-cause.ts';
import type { ParityDifference } from '../../core/cutover/parity-report.ts';
import type { PartitionValue } from '../../core/cutover/partition-values.ts';
import { checkCall } from '../../core/read/checked-call.ts';
import { legacyFilter, legacyOrder } from '../../core/read/plan-legacy.ts';
import type { ReadEnvironment } from '../read/read-pattern.ts';
import { getOne } from '../store/read-keys.ts';
import { queryPart } from './query-part.ts';

/** Waits before each further look, in milliseconds: an index follows its table within a second as a rule. */
export const lookAgainMs: readonly number[] = [50, 150, 400, 1_000, 2_000];
const readsAtOnce = 8;

export interface LookedAgain {
  readonly differences: readonly ParityDifference[];
  /** Keys of records that were different at each look because they changed all the time. */
  readonly unsettled: readonly string[];
  /** How many first differences are gone. */
  readonly settled: number;
  readonly units: number;
}

/** A record that is still answered differently. */
interface Look {
  readonly entry: AnswerEntry;
  readonly kind: DifferenceKind;
  readonly cause: LikelyCause;
  /** Of the record as the table has it. */
  readonly digest: string;
}

/**
 * Looks at suspicious records again, because another writer may have been at work between the scan and the query: first the
 * query, then the records themselves, consistently. A difference that follows from the record as it is (no index keys, wrong
 * ones) is certain at once; an index that is merely behind gets time to catch up.
 */
export async function lookAgain(
  environment: ReadEnvironment,
  table: Table,
  pattern: Pattern,
  value: PartitionValue,
  suspicions: readonly Suspicion[],
  signal?: AbortSignal,
): Promise<LookedAgain> {
  const suspects = new Map(suspicions.map(({ entry }) => [entry.id, entry]));
  const first = suspects.size;
  const certain: Look[] = [];
  const bystanders = new Set<string>();
  let open: readonly Look[] = [];
  let before: ReadonlyMap<string, string> = new Map();
  let units = 0;
  for (const pauseMs of lookAgainMs) {
    await environment.sleep(pauseMs, signal);
    before = new Map(open.map((look) => [look.entry.id, look.digest]));
    const looked = await lookOnce(environment, table, pattern, value, [...suspects.values()], signal);
    units += looked.units;
    certain.push(...looked.looks.filter((look) => look.cause.structural));
    const known = before;
    for (const look of looked.looks) if (isBystander(look, looked.looks)) bystanders.add(look.entry.id);
    open = looked.looks.filter((look) => !look.cause.structural && !bystanders.has(look.entry.id) && !isFollowed(look, known));
    suspects.clear();
    for (const { entry } of open) suspects.set(entry.id, entry);
    if (open.length === 0) break;
  }
  // What stayed the same over the last two looks has had its time; what changed again has not.
  const late = open.filter((look) => before.get(look.entry.id) === look.digest);
  const unsettled = open.filter((look) => !late.includes(look)).map(({ entry }) => showKey(table, entry.key));
  const differences = [...certain, ...late].map(({ entry, kind, cause: { cause, detail } }) => {
    return { kind, value, key: showKey(table, entry.key), cause, detail };
  });
  return { differences, unsettled, settled: first - differences.length - unsettled.length - bystanders.size, units };
}

/** A record that stands beside one with a wrong key is out of place only because of that one. */
function isBystander(look: Look, all: readonly Look[]): boolean {
  if (look.cause.structural) return false;
  return look.kind === 'order' && all.some((other) => other.kind === 'order' && other.cause.structural);
}

/** Both ways give the record and it was written again since the last look: the index shows one version or another of it. */
function isFollowed({ kind, entry, digest }: Look, before: ReadonlyMap<string, string>): boolean {
  const known = before.get(entry.id);
  return kind === 'changed' && known !== undefined && known !== digest;
}

async function lookOnce(
  environment: ReadEnvironment,
  table: Table,
  pattern: Pattern,
  value: PartitionValue,
  suspects: readonly AnswerEntry[],
  signal: AbortSignal | undefined,
): Promise<{ readonly looks: readonly Look[]; readonly units: number }> {
  const filter = legacyFilter(checkCall([table], pattern, value));
  const found = await queryPart(environment, table, pattern, value, signal);
  const answered = new Map(found.entries.map((entry) => [entry.id, entry]));
  const outOfPlace = new Set(misplaced(legacyOrder(table, pattern), found.entries).map((entry) => entry.id));
  const TableName = physicalName(table, environment.names);
  const limit = pLimit(readsAtOnce);
  let { units } = found;
  const look = async (entry: AnswerEntry): Promise<readonly Look[]> => {
    signal?.throwIfAborted();
    const read = await getOne(environment, { TableName, Key: entry.key, ConsistentRead: true }, signal);
    units += read.units;
    const digest = read.item === undefined ? 'gone' : environment.digest(canonicalItem(read.item));
    const kind = kindOf(filter, read.item, digest, answered.get(entry.id), outOfPlace.has(entry.id));
    if (kind === undefined) return [];
    return [{ entry, kind, cause: likelyCause(table, pattern, read.item), digest }];
  };
  const looks = await Promise.all(suspects.map((entry) => limit(look, entry)));
  return { looks: looks.flat(), units };
}

function kindOf(
  filter: Condition,
  item: Item | undefined,
  digest: string,
  answered: AnswerEntry | undefined,
  outOfPlace: boolean,
): DifferenceKind | undefined {
  if (item === undefined || !holds(filter, item)) return answered === undefined ? undefined : 'extra';
  if (answered === undefined) return 'missing';
  if (outOfPlace) return 'order';
  return answered.digest === digest ? undefined : 'changed';
}
