<?php
use PHPUnit\Framework\TestCase;

final class HangTest extends TestCase
{
    public function testA(): void { $this->assertTrue(true); }
    public function testB(): void { sleep(60); $this->assertTrue(true); }
}
