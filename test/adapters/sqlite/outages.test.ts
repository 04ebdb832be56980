import { describeOutages } from '../../contract/outages.suite.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

describeOutages('sqlite outages', sqliteFixture);
