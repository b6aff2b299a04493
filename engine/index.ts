/** What applications, catalogues, migrations and seeds import: `import { defineTable, openReader } from 'tablewright'`. */
export { type Archive, type ArchiveSummary, defineArchive } from '../tables/model/archive.ts';
export { type AttributeValue, type Item, scalarText } from '../tables/model/attribute-value.ts';
export {
  brazilianTime,
  bytes,
  choice,
  decimal,
  epochSeconds,
  flag,
  integer,
  isoDay,
  isoSecond,
  isoTime,
  jsonText,
  keyPart,
  known,
  listOf,
  mapOf,
  measure,
  note,
  notNegative,
  plainData,
  plainDataOf,
  positive,
  text,
  valuesOf,
} from '../tables/model/attributes.ts';
export {
  absent,
  all,
  any,
  atLeast,
  atMost,
  type Condition,
  differs,
  equals,
  greater,
  holds,
  less,
  oneOf,
  present,
  startsWith,
} from '../tables/model/condition.ts';
export { addDecimals, compareDecimals, negateDecimal } from '../tables/model/decimal.ts';
export { defineEntity, type Entity, type EntityOptions, type InputOf, type RecordOf } from '../tables/model/entity.ts';
export { type ErrorCode, TablewrightError } from '../tables/model/error.ts';
export { buildItem, keyOf } from '../tables/model/item.ts';
export {
  defineOperation,
  nothingToChange,
  type Operation,
  type OperationDecision,
  type OperationInput,
  type OperationOptions,
  type OperationRead,
  type Transaction,
  together,
  type Write,
} from '../tables/model/operation.ts';
export {
  ascending,
  beginsWith,
  descending,
  from,
  is,
  type KeyCondition,
  type Legacy,
  type LegacyQuery,
  type LegacyScan,
  type LegacySort,
  type ParamsOf,
  type Pattern,
  type PatternOptions,
  type PatternParams,
  type ResultOf,
  window,
} from '../tables/model/pattern.ts';
export {
  defineProject,
  type PatternName,
  type PatternNamed,
  type Project,
  type ProjectOptions,
} from '../tables/model/project.ts';
export { changeWrites, createWrites, removeWrites } from '../tables/model/record-writes.ts';
export {
  type Billing,
  defineTable,
  type Index,
  type KeyAttribute,
  type NamedPatterns,
  onDemand,
  type Projection,
  provisioned,
  type Table,
  type TableDefinition,
} from '../tables/model/table.ts';
export {
  type OpenOptions,
  type OpenReader,
  type OpenReaderOptions,
  type OpenWriter,
  openReader,
  openWriter,
} from './application.ts';
export * from './author.ts';
export type { ChangesOf, KeyedOf } from './core/write/record-call.ts';
export type { CallOptions, Page, PageOptions, Reader, RecordNamed } from './run/read/reader.ts';
export type { Consumed, Reading } from './run/read/reading.ts';
export type { Outcome, RunOptions } from './run/write/run-operation.ts';
export type { ChangeFunction, Together, WriteCallOptions, WriteOutcome, WriteRefusal, Writer } from './run/write/writer.ts';
