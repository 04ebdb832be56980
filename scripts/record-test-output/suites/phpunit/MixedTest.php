<?php
use PHPUnit\Framework\TestCase;

final class MixedTest extends TestCase
{
    public function testAdds(): void { $this->assertSame(2, 1 + 1); }
    public function testCompares(): void { $this->assertSame(['a' => 1], ['a' => 2]); }
    public function testSkipped(): void { $this->markTestSkipped('not now'); }
    public function testIncomplete(): void { $this->markTestIncomplete('later'); }
    public function testRisky(): void {}
    public function testThrows(): void { throw new RuntimeException("boom\nsecond line"); }
    public function testPrints(): void { fwrite(STDOUT, "\nOK (9 tests, 9 assertions)\n"); $this->assertTrue(true); }
    public function testWarns(): void { $this->addWarning('careful'); $this->assertTrue(true); }
}
