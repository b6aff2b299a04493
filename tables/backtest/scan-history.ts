import { z } from 'zod';
import { choice, decimal, epochSeconds, integer, isoTime, text } from '../model/attributes.ts';
import { defineEntity } from '../model/entity.ts';
import { is } from '../model/pattern.ts';
import { defineTable, provisioned } from '../model/table.ts';
import { secondsPerDay } from '../model/time.ts';

export const scan = defineEntity({
  name: 'SCAN',
  description: 'One run of the scanner over all coins',
  attributes: {
    scan_id: text(),
    scan_timestamp: epochSeconds(),
    total_coins_scanned: integer(),
    selected_coins: z.array(text()),
    removed_coins: z.array(text()),
    analysis_status: z.strictObject({ total: integer(), completed: integer(), failed: integer(), pending: integer() }),
    performance: z.strictObject({
      scan_duration: decimal(),
      total_analysis_time: decimal(),
      avg_analysis_time: decimal(),
      messages_published: integer(),
    }),
    scanner_id: text(),
    created_at: isoTime(),
    completed_at: isoTime().optional(),
    status: choice('running', 'completed', 'failed'),
  },
  ttl: { from: 'scan_timestamp', seconds: 7 * secondsPerDay },
});

export const scanHistory = defineTable({
  name: 'crypto-scan-history',
  system: 'backtest',
  namespace: 'backtest.scans',
  description: 'The scanner’s runs, kept for seven days',
  hash: 'scan_id',
  ttl: 'ttl',
  billing: { production: provisioned(5, 5, { read: 50, write: 50 }) },
  entities: [scan],
  patterns: {
    byId: {
      description: 'A scan by its id',
      params: { scanId: text() },
      key: [is('scan_id', '{scanId}')],
      result: [scan],
      example: { scanId: 'scan-20251217-120000' },
    },
  },
});
