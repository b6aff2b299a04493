/** npm run bench:natural [ITEMS]: an example project goes from made-up to natural keys and back beside a live application, killed at random. */
import { type EngineName, engineNames } from '../engine/local/choose-engine.ts';
import type { Keys } from '../examples/natural-keys/desk.ts';
import { type Figures, Journey } from './natural-keys/journey.ts';

const items = Number(process.argv[2] ?? '20000');
const kills = 12;
const pauseMs = 5;
const ways: readonly (readonly [Keys, EngineName])[] = [
  ['single', 'dynoxide'],
  ['several', 'dynamodb-local'],
];
const chosen = process.argv[3];
if (chosen !== undefined && !(engineNames as readonly string[]).includes(chosen)) throw new Error(`there is no engine ${chosen}`);

const whole = (number: number): string => Math.round(number).toLocaleString('en');

function show({ legs, migrations, record, fill, proof, live }: Figures): void {
  const print = (line: string) => process.stdout.write(`${line}\n`);
  for (const { what, seconds, kills: killed } of legs) print(`| ${what} | ${seconds.toFixed(1)} | ${killed} |`);
  for (const { id, changed, read, write } of migrations)
    print(`| ${id} | ${whole(changed)} | ${whole(read)} | ${whole(write)} |`);
  print(`record: ${whole(record.madeUp.bytes)} bytes with the made-up key, ${whole(record.natural.bytes)} without`);
  print(
    `table: ${whole(record.madeUp.bytes * record.madeUp.items)} bytes before, ${whole(record.natural.bytes * record.natural.items)} between`,
  );
  print(`filling an index, by DynamoDB: ${whole(fill.natural)} write units there, ${whole(fill.madeUp)} back`);
  for (const [key, { check, parity }] of Object.entries(proof))
    print(`${key}: ${whole(check)} read units to check the keys, ${whole(parity)} for parity`);
  print(
    `application: ${whole(live.writes)} writes (${live.unsure} without an answer), ${whole(live.reads)} lists read (${live.begunAnew} begun anew), ${live.wrong.length} wrong, ${live.failures.length} failed`,
  );
  for (const one of [...live.wrong, ...live.failures].slice(0, 20)) print(`  ${one}`);
}

for (const [keys, engine] of ways) {
  if (chosen !== undefined && chosen !== engine) continue;
  process.stdout.write(`${keys} on ${engine}, ${whole(items)} records\n`);
  const log = (line: string) => process.stderr.write(`  ${line}\n`);
  show(await Journey.run({ keys, engine, items, kills, pauseMs, random: Math.random, log }));
}
