import { type SegmentRecord, segmentRecord, unitRecord } from '../../../tables/model/ledger/migration-records.ts';
import { type LedgerWrite, put, remove } from './ledger-write.ts';

const entityOf = ({ spread }: Pick<SegmentRecord, 'spread'>) => (spread === true ? unitRecord : segmentRecord);

/** The checkpoint of a segment, where those of its step lie. */
export function putSegment(record: SegmentRecord): LedgerWrite {
  return put(entityOf(record), record);
}

export function removeSegment(record: SegmentRecord): LedgerWrite {
  return remove(entityOf(record), record);
}
