import { describeMemory } from '../../contract/memory.suite.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

describeMemory('sqlite store', sqliteFixture);
