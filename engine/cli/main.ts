import { Command } from 'commander';

const program = new Command('tablewright');
program.option('--x', 'y');
await program.parseAsync();
